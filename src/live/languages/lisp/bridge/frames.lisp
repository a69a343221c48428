;;;; The stack of a program that fails, from where it failed down to where we called it.
(in-package :vivarium)

(defconstant +most-frames+ 60)
(defconstant +most-locals+ 20)

(defun frame-name (frame)
  (ignore-errors (sb-di:debug-fun-name (sb-di:frame-debug-fun frame))))

(defun bottom-p (name)
  (or (eq name 'run-form) (and (consp name) (member 'run-form name))))

(defparameter *machinery*
  (loop for name in '("SB-IMPL" "SB-INT" "SB-KERNEL" "SB-C" "SB-DEBUG" "SB-FASL" "SB-SYS" "SB-UNIX" "SB-VM" "SB-THREAD" "SB-PCL"
                      "SB-DI" "SB-ALIEN" "SB-ALIEN-INTERNALS" "SB-FORMAT" "SB-BIGNUM" "VIVARIUM")
        for package = (find-package name)
        when package collect package))

(defun machinery-p (name)
  "Frames of the evaluator and of conditions, which nobody wrote."
  (typecase name
    (symbol (or (member name '(eval error cerror signal break warn invoke-debugger))
                (member (symbol-package name) *machinery*)))
    ;; (FLET "BODY" :IN function), (LAMBDA (X) :IN function), (SB-PCL::FAST-METHOD name ...)
    (cons (let ((within (second (member :in name))))
            (cond (within (machinery-p within))
                  ((stringp (second name)) t)
                  (t (eq (second name) 'run-form)))))
    (string (and (search "foreign function" name) t))))

(defun frames-from (top)
  "The live frames, newest first, until our own."
  (loop for frame = top then (sb-di:frame-down frame)
        for count from 0
        while (and frame (< count 2000) (not (bottom-p (frame-name frame))))
        collect frame into all
        finally (return (if (> (length all) (* 2 +most-frames+))
                            (append (subseq all 0 +most-frames+) (last all +most-frames+))
                            all))))

(defun counted-frames (frames)
  "Those that can be asked for, by the numbers an error shows: the user's own. Where there are none, what is global is seen from any."
  (or (remove-if (lambda (frame) (machinery-p (frame-name frame))) frames) frames))

(defun top-frame ()
  "Where it failed, as SBCL itself has it."
  (let ((hint sb-debug:*stack-top-hint*))
    (if (typep hint 'sb-di:frame) hint (sb-di:top-frame))))

(defun frame-text (frame)
  (handler-case
      (printing (:length 6 :level 3 :pretty nil)
        (multiple-value-bind (text whole) (said-in-time 300 (lambda (out) (sb-debug::print-frame-call frame out :number nil)))
          (if whole text (format nil "(~a … arguments that do not print)" (brief (frame-name frame))))))
    (error () (brief (frame-name frame)))
    (sb-kernel::control-stack-exhausted () (brief (frame-name frame)))))

(defun frame-obj (frame &optional locals)
  (multiple-value-bind (file line column) (frame-place frame)
    (obj "name" (frame-text frame)
         "file" (or file "") "line" (if file line 1) "column" (if file column 1)
         "own" (if (machinery-p (frame-name frame)) :false t)
         "locals" (if locals (or (locals-of frame) :omit) :omit))))

(defun frame-objs (frames &optional locals)
  (vec (loop for frame in frames for index from 0
             collect (frame-obj frame (and locals (< index 12))))))

(defun locals-of (frame)
  (ignore-errors
   (let ((location (sb-di:frame-code-location frame)) (found '()))
     (loop for variable across (sb-di::debug-fun-debug-vars (sb-di:frame-debug-fun frame))
           while (< (length found) +most-locals+)
           do (when (and (sb-di:debug-var-symbol variable)
                         (eq (sb-di:debug-var-validity variable location) :valid))
                (push (obj "name" (string-downcase (symbol-name (sb-di:debug-var-symbol variable)))
                           "text" (let ((value (sb-di:debug-var-value variable frame)))
                                    (said-in-time 250 (lambda (out) (write-string (brief value) out)))))
                      found)))
     (and found (vec (nreverse found))))))

(defun restart-objs (restarts)
  (vec (loop for restart in restarts
             collect (obj "name" (princ-to-string (or (restart-name restart) "(no name)"))
                          "report" (handler-case (said-in-time 300 (lambda (out) (princ restart out)))
                                     (error () "")
                                     (sb-kernel::control-stack-exhausted () ""))
                          "takesValue" (if (takes-value-p restart) t :omit)))))

(defun takes-value-p (restart)
  "It would ask somebody at a terminal."
  (and (ignore-errors (sb-kernel::restart-interactive-function restart)) t))

(defun condition-message (condition)
  (handler-case
      ;; To find circles, all would be printed once to nowhere, where nothing ends what never stops.
      (printing (:length 20 :level 4 :pretty nil :circle nil)
        (let ((*print-escape* nil))
          (said-in-time 4000 (lambda (out) (princ condition out)))))
    (error () "its message cannot be printed")
    (sb-kernel::control-stack-exhausted () "its message cannot be printed: printing it exhausts the stack")))

(defun condition-kind (condition)
  (typecase condition
    (sb-kernel::control-stack-exhausted "stack")
    ((or reader-error end-of-file) (if *reading* "syntax" "error"))
    (error "error")
    (t "error")))

(defvar *reading* nil "Code is being read, not run.")

(defun fault-obj (condition frames restarts)
  (telling
    (obj "type" (type-name condition)
         "message" (condition-message condition)
         "kind" (condition-kind condition)
         "frames" (frame-objs frames)
         "restarts" (if restarts (restart-objs restarts) :omit)
         "ref" (or (ref-of condition) :omit))))
