;;;; One evaluation: every form of a cell is read, compiled and run; what it says, gives and breaks is told.
(in-package :vivarium)

(defvar *current-package* (find-package :cl-user) "The package the next cell begins in.")
(defvar *running* nil "The request whose code runs now.")
(defvar *stopping* nil "The evaluation of this thread is being ended from outside.")
(defvar *pauses* nil "It stops where it fails.")
(defvar *notes* nil "What the compiler said of this cell.")
(defvar *base-restarts* '() "Those there are before any code of the user's runs.")
(defvar *form* nil "The form that runs now.")
(defvar *declared* nil)
(defvar *sources* (make-hash-table :test #'equal :synchronized t) "From kind and name to what was written for it.")

(defmacro with-debug-policy (&body body)
  "What a person writes is compiled so that its frames and variables can be seen."
  `(let ((sb-c::*policy-min* (debug-policy))) ,@body))

(defvar *debug-policy* nil)

(defun debug-policy ()
  (or *debug-policy*
      (setf *debug-policy*
            (let ((sb-c::*policy-min* sb-c::*policy-min*))
              (sb-ext:restrict-compiler-policy 'debug 3)
              sb-c::*policy-min*))))

(defun evaluate-cell (request)
  (let* ((id (field request "id"))
         (cell (field request "cell" 0))
         (wanted (field request "package"))
         (package (if wanted (package-named wanted) (living-package)))
         (*cell* id) (*notes* '()) (*declared* '())
         (*pauses* (equal (field request "onError") "pause")))
    (mind-readtable)
    (if (null package)
        (done id "fault" (obj "type" "PACKAGE-ERROR" "message" (format nil "There is no package ~a" wanted) "kind" "error" "frames" #()))
        (let ((answer (guarded id
                        (lambda ()
                          (run-cell (field request "code" "") (cell-name cell) package (null wanted))))))
          (flush-taps)
          (apply #'done id
                 (append (cdr-members answer)
                         (list "declares" (if *declared* (vec (reverse *declared*)) :omit)
                               "notes" (let ((notes (settled-notes))) (if notes (vec notes) :omit)))))))))

(defun cell-name (cell)
  (let ((*print-pretty* nil)) (format nil "cell-~d" cell)))

(defun cdr-members (object)
  (loop for (key . value) in (cdr object) collect key collect value))

(defun living-package ()
  "In one that was deleted nothing can be read any more, not even the way out."
  (if (package-name *current-package*)
      *current-package*
      (setf *current-package* (user-package))))

(defvar *list-readers* (list (get-macro-character #\( nil) (get-macro-character #\) nil)))

(defun mind-readtable ()
  "Where a ( begins no list any more, nothing can be written that would mend it."
  (unless (or (equal (list (get-macro-character #\() (get-macro-character #\))) *list-readers*) (reads-lists-p))
    (let ((done (if (progn (mend-lists) (reads-lists-p))
                    "its ( and ) are the standard ones now"
                    (progn (setf *readtable* (copy-readtable nil))
                           "*READTABLE* is a copy of the standard one now"))))
      (push (list nil (obj "severity" "warning" "file" "" "line" 1 "column" 1
                           "message" (concatenate 'string "The readtable read no lists any more: " done ".")))
            *notes*))))

(defun mend-lists ()
  "All else in it is the user's, and stays."
  (ignore-errors
   (dolist (char '(#\( #\)))
     (set-syntax-from-char char char *readtable* nil))))

(defun reads-lists-p ()
  "What becomes of the list is the user's; one that is not read to its end is none."
  (let ((form nil) (end 0) (text "(1)"))
    (and (in-time-p (lambda ()
                      (catch 'stop
                        (ignore-errors
                         (let ((*read-suppress* nil))
                           (multiple-value-setq (form end) (read-from-string text)))))))
         (consp form)
         (= end (length text)))))

(defun user-package ()
  "Even that one can be deleted. Nothing can be found from within one that was, and SBCL keeps what a constant name has found."
  (let ((*package* (symbol-package :here)) (name *user-name*))
    (or (find-package name)
        (prog1 (make-package name :nicknames '("CL-USER") :use *user-uses*)
          (name-last-values)))))

(defvar *user-name* "COMMON-LISP-USER")
(defvar *user-uses* (mapcar #'package-name (package-use-list :cl-user)))

(defun package-named (name)
  (or (find-package name) (find-package (string-upcase name))))

(defun guarded (id function)
  "The answer to an evaluation, however it ends."
  (let ((stopped (catch 'stop
                   (unwind-protect
                        (with-own-streams
                          (setf *running* id)
                          (let ((*stopping* nil)
                                (sb-ext:*invoke-debugger-hook* #'entering-debugger)
                                (*debugger-hook* nil)
                                (sb-ext:*stepper-hook* #'stepping))
                            (abortable function)))
                     (setf *running* nil)
                     (refuse-orders)))))
    (if (and (consp stopped) (eq (car stopped) :obj)) stopped (obj "interrupted" t))))

(defun abortable (function)
  "The restart that every program may count on. Without one of ours it would end the thread."
  (restart-case (let ((*base-restarts* (compute-restarts))) (funcall function))
    (abort ()
      :report "Give the cell up."
      (obj "fault" (obj "type" "ABORT" "kind" "error" "frames" #()
                        "message" "The program gave the cell up by the restart ABORT. The session and its values were kept.")))))

(defun run-cell (code file package sets-package)
  (let ((problem (unreadable code file)))
    (when problem (return-from run-cell (obj "fault" problem))))
  (let* ((*package* package) (values (run-until-taken code file package)))
    (unless (package-name *package*) (setf *package* (user-package)))
    (when sets-package (setf *current-package* *package*))
    (shift-history values)
    (if (= (length values) 1)
        (obj "value" (view (first values)))
        (obj "values" (vec (mapcar #'view values))))))

(defvar *cell-restarts* nil "The restarts of the cell are offered: in a pause, and never to the program.")

(defun run-until-taken (code file package)
  "The values of the cell, which whoever looks at an error may have run again, or replace."
  (flet ((offered (condition) (declare (ignore condition)) *cell-restarts*))
    (loop
      (restart-case (return (run-text code file))
        (retry-cell ()
          :test offered
          :report "Run the cell again from its beginning."
          (setf *package* package *notes* '()))
        (return-from-cell (&rest values)
          :test offered
          :report "Answer a value in place of the cell's."
          :interactive (lambda () '())
          (return values))))))

(defun shift-history (values)
  (setf /// // // / / values
        *** ** ** * * (first values)))

(defun run-text (text file)
  "The values of its last form."
  (let ((at 0) (values '()) (end (list nil)))
    (loop
      (let ((start (skip-blank text at)))
        (multiple-value-bind (form next) (read-form text start end file)
          (when (eq form end) (return values))
          (remember-places form file text start)
          (note-definition form file text start next)
          (setf at next)
          (shiftf +++ ++ + form)
          (setf values (multiple-value-list (let ((*form* form)) (run-form form)))))))))

(defun read-form (text start end file)
  (handler-bind ((error (lambda (condition)
                          (throw 'stop (obj "fault" (syntax-fault condition text start file))))))
    (let ((*reading* t) (*read-suppress* nil))
      (read-from-string text nil end :start (min start (length text)) :preserve-whitespace t))))

(defun run-form (form)
  "Frames of the user's own code stand above this one."
  (declare (notinline eval) (optimize (debug 2)))
  (setf - form)
  (handler-bind ((sb-ext:compiler-note #'note-condition)
                 (sb-c:compiler-error #'note-compiler-error)
                 (warning #'note-condition))
    (multiple-value-prog1 (with-debug-policy (eval form)))))

;;; What cannot be read is said before anything is run.
(defun unreadable (code file)
  (let ((start 0) (end (list nil)))
    (handler-case
        (let ((*read-suppress* t) (at 0))
          (loop
            (multiple-value-bind (next unclosed) (skip-blank code at)
              (setf start (or unclosed next))
              (when unclosed (return (incomplete code start file))))
            (multiple-value-bind (form next) (read-from-string code nil end :start start :preserve-whitespace t)
              (when (or (eq form end) (>= next (length code))) (return nil))
              (setf at (max next (1+ at))))))
      (end-of-file () (incomplete code start file))
      (reader-error (condition)
        (when (search "unmatched close" (condition-message condition)) (syntax-fault condition code start file)))
      (error () nil))))

(defun incomplete (code start file)
  (multiple-value-bind (line column) (line-column code start)
    (obj "type" "END-OF-FILE" "kind" "syntax"
         "message" (format nil "The form that begins here is not closed: a ), a \" or a |# is missing. Nothing was run.~%~a" (line-at code start))
         "frames" (vector (obj "name" "" "file" file "line" line "column" column "own" t)))))

(defun line-at (text offset)
  (let* ((offset (min offset (length text)))
         (start (let ((newline (position #\newline text :end offset :from-end t))) (if newline (1+ newline) 0)))
         (end (or (position #\newline text :start offset) (length text))))
    (subseq text start (min end (+ start 100)))))

(defun syntax-fault (condition text start file)
  (multiple-value-bind (line column) (line-column text start)
    (obj "type" (type-name condition) "message" (syntax-message condition) "kind" "syntax"
         "frames" (vector (obj "name" "" "file" file "line" line "column" column "own" t)))))

(defun syntax-message (condition)
  "Without the stream, which is ours."
  (let* ((text (condition-message condition)) (stream (search "Stream: #<" text)))
    (string-right-trim '(#\space #\newline) (if stream (subseq text 0 stream) text))))

;;; Definitions, by how they are written.
(defun note-definition (form file text start next)
  (when (and (consp form) (symbolp (car form)) (consp (cdr form))
             (let ((head (symbol-name (car form)))) (and (> (length head) 3) (string= "DEF" head :end2 3))))
    (let* ((name (if (and (consp (second form)) (not (eq (car (second form)) 'setf))) (first (second form)) (second form)))
           (text-of-name (if (symbolp name) (string-downcase (symbol-name name)) (brief name))))
      (pushnew text-of-name *declared* :test #'string=)
      (multiple-value-bind (line column) (line-column text start)
        (declare (ignore column))
        (setf (gethash (list (car form) name (method-specializers form)) *sources*)
              (list file line (subseq text start (min next (length text)))))))))

(defun method-specializers (form)
  (when (eq (car form) 'defmethod)
    (let ((lambda-list (find-if #'listp (cddr form))))
      (loop for parameter in lambda-list
            until (member parameter lambda-list-keywords)
            collect (if (consp parameter) (second parameter) t)))))

;;; What the compiler says.
(defun note-compiler-error (condition)
  "It is replaced by code that fails when it is run; the compiler goes on."
  (when (boundp 'sb-c::*compilation*)
    (multiple-value-bind (file line column) (note-place (compiler-context))
      (push (list nil (obj "severity" "error" "message" (condition-message condition)
                           "file" (or file "") "line" (if file line 1) "column" (if file column 1)))
            *notes*))))

(defun note-condition (condition)
  (let ((context (compiler-context)))
    (when (or context (boundp 'sb-c::*compilation*))
      (let ((undefined (undefined-name condition)))
        (multiple-value-bind (file line column) (note-place context)
          (push (list undefined
                      (obj "severity" (typecase condition
                                        (sb-ext:compiler-note "note")
                                        (style-warning "style-warning")
                                        (t "warning"))
                           "message" (condition-message condition)
                           "file" (or file "") "line" (if file line 1) "column" (if file column 1)))
                *notes*)))
      (muffle-warning condition))))

(defun compiler-context ()
  (and (or (boundp 'sb-c::*compilation*) (and (boundp 'sb-c::*compiler-error-context*) sb-c::*compiler-error-context*))
       (ignore-errors
        (let ((known (and (boundp 'sb-c::*compiler-error-context*) sb-c::*compiler-error-context*)))
          (if (typep known 'sb-c::compiler-error-context) known (sb-c::find-error-context nil))))))

(defun note-place (context)
  (multiple-value-bind (file line column)
      (and context (ignore-errors (place-of (sb-c::compiler-error-context-original-form context))))
    (if file
        (values file line column)
        (multiple-value-bind (file line column) (and context (ignore-errors (compiled-place context)))
          (if file (values file line column) (place-of *form*))))))

(defun compiled-place (context)
  "In a file that is being compiled: the compiler knows where its form begins, and the way into it."
  (let ((name (sb-c::compiler-error-context-file-name context))
        (start (sb-c::compiler-error-context-file-position context)))
    (when (and (typep name '(or pathname string)) (integerp start))
      (let* ((file (truename name))
             (text (file-text file))
             (start (skip-blank text start))
             (form (let ((*read-eval* nil)) (read-from-string text nil nil :start start)))
             (path (rest (reverse (sb-c::compiler-error-context-original-source-path context)))))
        (multiple-value-bind (line column)
            (line-column text (gethash (subform-at form path) (positions-of form text start) start))
          (values (sb-ext:native-namestring file) line column))))))

(defun undefined-name (condition)
  "What was not defined when it was used: it may be by the end of the cell."
  (ignore-errors
   (let ((arguments (simple-condition-format-arguments condition)))
     (and (search "undefined" (string-downcase (condition-message condition)))
          (member (first arguments) '(:function :variable :type))
          (list (first arguments) (second arguments))))))

(defun defined-now-p (undefined)
  (and undefined
       (destructuring-bind (kind name) undefined
         (ecase kind
           (:function (ignore-errors (fboundp name)))
           (:variable (and (symbolp name) (boundp name)))
           (:type (and (symbolp name) (find-class name nil)))))))

(defun settled-notes ()
  (loop for (undefined note) in (reverse *notes*)
        unless (defined-now-p undefined)
          collect note))
