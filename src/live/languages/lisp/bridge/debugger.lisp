;;;; Where a program would enter the debugger: the evaluation ends with what went wrong, or waits there for what to do.
(in-package :vivarium)

(defvar *debug-box* (make-box))
(defvar *paused* nil "The evaluation waits in the debugger.")

(defmacro unless-stopped ((id) &body body)
  "Whoever asked is answered also when the program is stopped meanwhile."
  `(let ((stopped t))
     (unwind-protect (multiple-value-prog1 (progn ,@body) (setf stopped nil))
       (when stopped (refused ,id "It was stopped")))))

(defun entering-debugger (condition hook)
  (declare (ignore hook))
  ;; What went wrong is being told already; a report that asks for the debugger would have it told for ever.
  (when *printing* (throw *printing* nil))
  (unless (typep condition 'sb-sys:interactive-interrupt) (setf *last-error* condition))
  ;; SBCL forgets it here, and its own would read from nobody.
  (let ((sb-ext:*invoke-debugger-hook* #'entering-debugger))
    (cond ((heap-condition-p condition) (out-of-memory))
          (*pauses* (pause-at condition))
          (t (throw 'stop (obj "fault" (fault-of condition)))))))

(defun heap-condition-p (condition)
  (typep condition 'sb-kernel::heap-exhausted-error))

(defun out-of-memory ()
  (setf *stopping* t)
  (let ((where (let ((frame (find-if-not (lambda (frame) (machinery-p (frame-name frame))) (frames-from (top-frame)))))
                 (if frame (telling (frame-text frame)) "the program"))))
    (throw 'stop (obj "memory" where))))

(defun fault-of (condition)
  (fault-obj condition (frames-from (top-frame)) (own-restarts condition)))

(defun own-restarts (condition)
  "Those a program offers; not the one that ends a thread of ours."
  (set-difference-in-order (compute-restarts condition) *base-restarts*))

(defun set-difference-in-order (all without)
  (remove-if (lambda (one) (member one without)) all))

(defun pause-at (condition &optional (reason (format nil "~a: ~a" (type-name condition) (condition-message condition))))
  (let* ((frames (frames-from (top-frame)))
         (restarts (let ((*cell-restarts* t)) (own-restarts condition)))
         (*pauses* nil)
         (*paused* t))
    (wait-for-orders reason frames restarts)))

(defun pause-obj (reason frames restarts)
  (telling (obj "reason" reason "frames" (frame-objs frames t) "restarts" (if restarts (restart-objs restarts) :omit))))

(defun refuse-orders ()
  "Those that came for a program that waits no more: none may reach another one."
  (loop while (box-items *debug-box*)
        do (refused (field (take *debug-box*) "id") "It was stopped")))

(defun wait-for-orders (reason all-frames restarts &aux (frames (counted-frames all-frames)))
  (flush-taps)
  (refuse-orders)
  (send (list* :obj (cons "ev" "paused") (cdr (pause-obj reason frames restarts))))
  (loop
    (let* ((request (take *debug-box*)) (id (field request "id")) (action (field request "action")))
      (cond ((string= action "frames")
             (apply #'done id (cdr-members (pause-obj reason frames restarts))))
            ((string= action "eval") (evaluate-in-frame id request frames))
            ((string= action "restart") (choose-restart id request restarts))
            ((member action '("resume" "into" "over" "out") :test #'string=)
             (let ((way (way-on action restarts)))
               (if way
                   (progn (done id) (leave-pause (lambda () (invoke-restart way))))
                   (refused id "It failed, so there is no going on from here: choose a restart, or abort"))))
            (t (refused id "There is no ~a in this language" action))))))

(defun leave-pause (function)
  "What follows may fail again, and is paused at again."
  (setf *paused* nil)
  (let ((*pauses* t)) (funcall function)))

(defun way-on (action restarts)
  (flet ((named (&rest names)
           (find-if (lambda (restart) (member (restart-name restart) names :test #'string=)) restarts)))
    (cond ((string= action "into") (named "STEP-INTO"))
          ((string= action "over") (named "STEP-NEXT"))
          ((string= action "out") (named "STEP-OUT"))
          (t (named "STEP-CONTINUE" "CONTINUE" "GO-ON")))))

(defun evaluate-in-frame (id request frames)
  (let ((frame (nth (field request "frame" 0) frames)))
    (if (null frame)
        (refused id "There is no frame ~d: there are ~d" (field request "frame" 0) (length frames))
        (unless-stopped (id)
          (handler-case
              (let* ((form (let ((*reading* t)) (read-from-string (field request "code" "nil"))))
                     (value (handler-bind ((warning #'muffle-warning) (sb-ext:compiler-note #'muffle-warning))
                              (let ((*error-output* (make-broadcast-stream)))
                                (without-debugger (lambda () (in-frame frame form)))))))
                (flush-taps)
                (done id "value" (view value)))
            (serious-condition (condition)
              (done id "thrown" (format nil "~a: ~a" (type-name condition) (condition-message condition)))))))))

(defun without-debugger (function)
  "What is run beside the program, and asks for the debugger, has failed."
  (let ((sb-ext:*invoke-debugger-hook*
          (lambda (condition hook)
            (declare (ignore hook))
            (error "It asks for the debugger: ~a: ~a" (type-name condition) (condition-message condition)))))
    (funcall function)))

(defun in-frame (frame form)
  "Frames without variables know only what is global."
  (let ((function (handler-case (sb-di:preprocess-for-eval form (sb-di:frame-code-location frame))
                    (sb-di:debug-condition () nil))))
    (if function (funcall function frame) (eval form))))

(defun choose-restart (id request restarts)
  (let* ((number (field request "restart")) (text (field request "value"))
         (restart (and (integerp number) (nth number restarts))))
    (cond ((null restart)
           (refused id "There is no restart ~a: there are ~d" number (length restarts)))
          ((and (null text) (takes-value-p restart) (not (string= (restart-name restart) "RETRY")))
           (refused id "~a takes a value: value: \"...\"" (restart-name restart)))
          (t (multiple-value-bind (values problem) (unless-stopped (id) (values-of text))
               (if problem
                   (refused id "The value cannot be had: ~a" problem)
                   (progn (done id)
                          (leave-pause (lambda () (apply #'take-restart restart values))))))))))

(defun take-restart (restart &rest values)
  "Those of the cell are found only while they are offered."
  (if (member (restart-name restart) '(retry-cell return-from-cell))
      (let ((*cell-restarts* t)) (apply #'invoke-restart restart values))
      (apply #'invoke-restart restart values)))

(defun values-of (text)
  (if (null text)
      (values '() nil)
      (handler-case
          (let ((form (let ((*reading* t)) (read-from-string text))))
            (values (multiple-value-list (let ((*error-output* (make-broadcast-stream)))
                                           (without-debugger (lambda () (eval form)))))
                    nil))
        (serious-condition (condition)
          (values nil (format nil "~a: ~a" (type-name condition) (condition-message condition)))))))

;;; (step form) stops at every form of what it runs.
(defun stepping (condition)
  (typecase condition
    (sb-ext:step-form-condition
     (let ((frames (frames-from (sb-di:frame-down (sb-di:top-frame)))) (*paused* t))
       (wait-for-orders (format nil "about to run ~a" (step-text (sb-kernel::step-condition-form condition))) frames
                        (own-restarts condition))))
    (sb-ext:step-values-condition nil)
    (t nil)))

(defun step-text (form)
  "SBCL keeps it printed."
  (if (stringp form) form (brief form)))

;;; From outside.
(defun interrupt-worker (worker id)
  (sb-thread:interrupt-thread worker
                              (lambda ()
                                (when (eql *running* id)
                                  (setf *stopping* t)
                                  (throw 'stop (obj "interrupted" t))))))

;; That a compilation was aborted is our doing then, and nothing the program said.
(let ((summary (find-symbol "SUMMARIZE-COMPILATION-UNIT" "SB-C")))
  (when (and summary (fboundp summary))
    (sb-int:encapsulate summary 'vivarium
                        (lambda (function &rest arguments)
                          (unless *stopping* (apply function arguments))))))

(defun pause-worker (worker id)
  (sb-thread:interrupt-thread worker
                              (lambda ()
                                (when (and (eql *running* id) (not *paused*))
                                  (let ((*paused* t) (top (sb-di:top-frame)))
                                    (restart-case
                                        ;; What is asked for there is stopped like everything else.
                                        (sb-sys:with-interrupts
                                          (wait-for-orders "asked to pause" (frames-from top)
                                                           (remove-if-not (lambda (restart) (string= (restart-name restart) "GO-ON"))
                                                                          (compute-restarts))))
                                      (go-on () :report "Go on")))))))

(defun stray-debugger (condition hook)
  "In a thread the program started: it is told of, and the thread ends."
  (declare (ignore hook))
  (when *printing* (throw *printing* nil))
  (ignore-errors
   (flush-taps)
   (let ((sb-ext:*invoke-debugger-hook* #'stray-debugger))
     (send (obj "ev" "stray" "what" "uncaught"
                "where" (or (sb-thread:thread-name sb-thread:*current-thread*) "a thread")
                "fault" (fault-obj condition (frames-from (top-frame)) nil)))))
  (sb-thread:abort-thread))
