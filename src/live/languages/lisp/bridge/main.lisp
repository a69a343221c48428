;;;; The threads of an image: one that always answers, one the program runs in, one that looks things up.
(in-package :vivarium)

(defvar *worker-box* (make-box))
(defvar *clerk-box* (make-box))
(defvar *worker* nil)
(defvar *answering* nil "What the worker was asked last, until it is answered.")
(defvar *clerk* nil)
(defvar *attended* t "Somebody hears what is sent.")
(defvar *heap-limit* nil "In bytes: above it, what runs is stopped.")
(defconstant +clerk-seconds+ 15)

(defparameter *clerk-ops* '()
  "From the name of an operation to what answers it, with the request.")

(defmacro define-op (name (request) &body body)
  "Answered beside what runs; its value is what is answered."
  `(push (cons ,name (lambda (,request) (declare (ignorable ,request)) ,@body)) *clerk-ops*))

(defun main ()
  "The image of a live server: the channel is file descriptor 3."
  (sb-ext:disable-debugger)
  (compile-for-debugging)
  (keep-last-words)
  (let ((tests (rest (member "--tests" sb-ext:*posix-argv* :test #'string=))))
    (when tests (tests-main tests)))
  (keep-debugger)
  (handler-bind ((sb-sys:interactive-interrupt (lambda (condition) (declare (ignore condition)) (sb-ext:exit :code 130 :abort t))))
    (attend (setf *main-fd* 3))
    (sb-ext:exit :code 0 :abort t)))

(defun attend (fd &optional (begin #'begin))
  "Until the channel ends."
  (let* ((in (sb-sys:make-fd-stream fd :input t :buffering :full :external-format :utf-8))
         (first (read-line in nil nil))
         (terms (and first (ignore-errors (read-json first)))))
    (when terms
      (setf *send* (make-sender fd (field terms "secret")))
      (funcall begin terms)
      (send (obj "ev" "ready" "version" (format nil "~a ~a" (lisp-implementation-type) (lisp-implementation-version))
                 "pid" (sb-posix:getpid)))
      (loop for line = (read-line in nil nil)
            while line
            do (let ((request (ignore-errors (read-json line))))
                 (handler-case (dispatch request)
                   (serious-condition (condition)
                     (refused (field request "id") "~a" (condition-message condition)))))))))

(defun begin (terms)
  (take-over-streams)
  (setf *compile-verbose* nil *compile-print* nil *load-verbose* nil
        sb-ext:*invoke-debugger-hook* #'stray-debugger
        *heap-limit* (let ((mb (field terms "heapMb"))) (and mb (* mb 1024 1024))))
  (when *heap-limit*
    ;; Often enough to see it coming.
    (setf (sb-ext:bytes-consed-between-gcs) (min (* 50 1024 1024) (max (* 8 1024 1024) (floor *heap-limit* 16)))))
  (settle-in (field terms "cwd"))
  (name-last-values)
  (recall-history)
  (pushnew 'watch-heap sb-ext:*after-gc-hooks*)
  (start-threads))

(defun name-last-values ()
  "As in the other languages; variables of a function may have these names all the same."
  (eval `(define-symbol-macro ,(intern "_" (user-package)) *))
  (eval `(define-symbol-macro ,(intern "_ERR" (user-package)) *last-error*)))

(defvar *history* nil "SBCL forgets the last values when an image is written.")

(defun recall-history ()
  (when *history*
    (destructuring-bind (a b c d e f g h i) (shiftf *history* nil)
      (setf * a ** b *** c / d // e /// f + g ++ h +++ i))))

(defvar *leaving* nil "The process is about to end.")
(defvar *work* 'work "What the thread of evaluations does.")

(defun leaving-p ()
  "Also where the program ends by other means than those we see: SBCL then ends every thread, and waits for it."
  (or *leaving* (let ((name (find-symbol "*EXIT-IN-PROGRESS*" "SB-IMPL"))) (and name (boundp name) (symbol-value name)))))

(defun keep-last-words ()
  "Whatever way a program ends itself, what it printed before is not lost."
  (sb-int:encapsulate 'sb-ext:exit 'vivarium
                      (lambda (function &rest arguments)
                        (setf *leaving* t)
                        (ignore-errors (flush-taps))
                        (apply function arguments))))

(defun keep-debugger ()
  "A program may bind or set the hook that is ours: nothing waits at a terminal for ever, and no error ends the image."
  (dolist (name '("%INVOKE-DEBUGGER" "DEBUGGER-DISABLED-HOOK"))
    (let ((function (find-symbol name "SB-DEBUG")))
      (when (and function (fboundp function))
        (sb-int:encapsulate function 'vivarium
                            (lambda (function condition &rest arguments)
                              (declare (ignore function arguments))
                              (if (and *running* (eq sb-thread:*current-thread* *worker*))
                                  (entering-debugger condition nil)
                                  (stray-debugger condition nil))))))))

(defun start-threads ()
  (setf *worker* (sb-thread:make-thread #'work :name "evaluations"))
  (start-clerk))

(defun start-clerk ()
  (setf *clerk* (sb-thread:make-thread #'clerk :name "questions")))

(defun work ()
  "No handler stands around an evaluation: what it does not handle itself goes to the debugger, which is ours."
  (loop for request = (take *worker-box*)
        until (eq request :end)
        do (let ((op (field request "op")))
             (setf *answering* request)
             (cond ((string= op "evaluate") (evaluate-cell request))
                   ((string= op "reload") (reload request))
                   (t (done (field request "id"))))
             (setf *answering* nil)))
  (setf *worker* nil))

(defun mind-worker ()
  "A program can end the thread it runs in. Then somebody must say so, and the next evaluation needs another."
  (let ((worker *worker*) (request *answering*))
    (when (and worker *attended* (not (leaving-p)) (not (sb-thread:thread-alive-p worker)))
      (setf *answering* nil
            *worker* (sb-thread:make-thread *work* :name "evaluations"))
      (flush-taps)
      (when request
        (let ((id (field request "id")) (said "The program ended the thread it ran in. The session and its values were kept."))
          (if (string= (field request "op") "reload")
              (done id "text" said "failed" t)
              (done id "fault" (obj "type" "THREAD-ENDED" "message" said "kind" "error" "frames" #()))))))))

(defun clerk ()
  "Between questions it sends on what was printed."
  (let ((asked nil))
    (unwind-protect
         (loop (setf asked (take *clerk-box* (if *attended* 0.1 nil)))
               (when (eq asked :end) (return))
               (mind-worker)
               (mind-channel)
               (if asked (answer-question asked) (flush-taps)))
      ;; It is the program's to end any thread, also this one, while it prints something of the program's.
      (when (and *attended* (not (leaving-p)) (not (eq asked :end)))
        (start-clerk)
        (when asked (refused (field asked "id") "The program ended the thread that was to answer"))))))

(defun answer-question (request)
  (let* ((id (field request "id")) (op (field request "op"))
         (known (cdr (assoc op *clerk-ops* :test #'string=))))
    (if (null known)
        (refused id "Common Lisp has no ~a here" op)
        (restart-case
            (answer-known known id request)
          ;; A method for print-object may invoke it.
          (abort () (refused id "It gave up by the restart ABORT"))))))

(defun answer-known (known id request)
  (handler-case
      (let ((answer (sb-ext:with-timeout +clerk-seconds+
                      (with-own-streams
                        (let ((*package* (living-package))) (without-debugger (lambda () (funcall known request))))))))
        (apply #'done id (cdr-members answer)))
    (sb-ext:timeout () (refused id "It took longer than ~d s: what it shows may have no end" +clerk-seconds+))
    (serious-condition (condition)
      (done id "refused" (condition-message condition) "reason" (if (missing-ref-p request) "missing-ref" :omit)))))

(defun missing-ref-p (request)
  (let ((target (field request "target")))
    (and (integerp target) (string= (field request "op") "inspect") (not (kept target)))))

(defun dispatch (request)
  (let ((id (field request "id")) (op (field request "op" "")))
    (cond ((member op '("ping" "abandon") :test #'string=) (done id))
          ((member op '("probe" "evaluate" "reload") :test #'string=) (put *worker-box* request))
          ((string= op "interrupt")
           (let ((running *running*)) (when running (interrupt-worker *worker* running)))
           (done id))
          ((string= op "debug") (debug-order id request))
          ((string= op "save") (save-image id request))
          (t (put *clerk-box* request)))))

(defun debug-order (id request)
  (cond ((string= (field request "action" "") "pause")
         (let ((running (running-soon)))
           (if running
               (progn (done id) (pause-worker *worker* running))
               (refused id "Nothing runs"))))
        ((null *running*) (refused id "Nothing runs"))
        (t (put *debug-box* request))))

(defun running-soon ()
  "What runs; what was asked for just now is about to."
  (loop for round below 100
        until *running*
        ;; Taken out of the box, and not begun yet, it is in neither for a moment.
        while (or *answering* (box-items *worker-box*) (< round 3))
        do (sleep 0.005))
  *running*)

(defun watch-heap ()
  "After each collection, in a thread of SBCL's own: what fills the memory is stopped while there is room to."
  (let ((running *running*) (limit *heap-limit*) (worker *worker*))
    (when (and running limit worker (> (sb-kernel:dynamic-usage) limit))
      (ignore-errors
       (sb-thread:interrupt-thread
        worker (lambda () (when (eql *running* running) (out-of-memory))))))))
