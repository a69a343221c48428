;;;; How values are shown: bounded, whatever they are; and the numbers under which they are kept.
(in-package :vivarium)

(defconstant +most-text+ 8000)
(defconstant +most-refs+ 1000)
(defconstant +huge-integer+ 16384 "In bits; longer ones take long to print.")

;;; A stream that has had enough.
(defclass bounded (sb-gray:fundamental-character-output-stream)
  ((text :initform (make-string-output-stream) :reader bounded-text)
   (left :initarg :left :accessor bounded-left)
   (column :initform 0 :accessor bounded-column)))

(defmethod sb-gray:stream-write-char ((stream bounded) char)
  (sb-gray:stream-write-string stream (string char))
  char)

(defmethod sb-gray:stream-write-string ((stream bounded) text &optional (start 0) end)
  (let* ((end (or end (length text))) (room (min (- end start) (bounded-left stream))))
    (write-string text (bounded-text stream) :start start :end (+ start room))
    (decf (bounded-left stream) room)
    (let ((newline (position #\newline text :start start :end end :from-end t)))
      (setf (bounded-column stream) (if newline (- end newline 1) (+ (bounded-column stream) (- end start)))))
    (when (zerop (bounded-left stream)) (throw 'enough t))
    text))

(defmethod sb-gray:stream-line-column ((stream bounded)) (bounded-column stream))

(defun call-bounded (most function)
  "What it writes to the stream it is given, and whether that was cut."
  (let ((stream (make-instance 'bounded :left most)))
    (let ((cut (catch 'enough (funcall function stream) nil)))
      (values (get-output-stream-string (bounded-text stream)) (eq cut t)))))

(defmacro bounded-text-of ((stream &optional (most '+most-text+)) &body body)
  `(call-bounded ,most (lambda (,stream) ,@body)))

;;; Reports and methods for print-object are the program's: one that never ends must not keep from being said what went wrong.
(defconstant +text-seconds+ 1 "For each text.")
(defconstant +telling-seconds+ 3 "For all that is told of one failure.")
(defvar *until* nil "When all of it must have been printed, in internal real time.")
(defvar *printing* nil "What to throw to in order to give up what is printed now.")

(defmacro telling (&body body)
  `(let ((*until* (or *until* (+ (get-internal-real-time) (* +telling-seconds+ internal-time-units-per-second)))))
     ,@body))

(defun seconds-left ()
  (if *until*
      (min +text-seconds+ (/ (- *until* (get-internal-real-time)) internal-time-units-per-second))
      +text-seconds+))

(defun in-time-p (function)
  "Whether it came to its end. No handler of the program's can keep it from being stopped."
  (let ((seconds (seconds-left)) (over nil) (late (list nil)))
    (and (plusp seconds)
         (let ((timer (sb-ext:make-timer (lambda () (unless over (throw late nil))) :thread sb-thread:*current-thread*)))
           (catch late
             (unwind-protect
                  (let ((*printing* late))
                    (sb-ext:schedule-timer timer seconds)
                    (sb-sys:with-interrupts (funcall function)))
               (setf over t)
               (sb-ext:unschedule-timer timer))
             t)))))

(defun said-in-time (most function)
  "What it writes to the stream it is given, as far as it came, and whether that was to its end."
  (let* ((stream (make-instance 'bounded :left most))
         (whole nil))
    (catch 'enough
      (setf whole (in-time-p (lambda () (catch 'enough (funcall function stream))))))
    (let ((text (get-output-stream-string (bounded-text stream))))
      (values (if whole text (concatenate 'string text "… (printing it does not come to its end)")) whole))))

(defun huge-integer-p (value)
  (and (integerp value) (> (integer-length value) +huge-integer+)))

(defun huge-ratio-p (value)
  (and (typep value 'ratio) (or (huge-integer-p (numerator value)) (huge-integer-p (denominator value)))))

(defun print-huge (stream value)
  (if (integerp value)
      (format stream "#<INTEGER of ~d bits>" (integer-length value))
      (format stream "#<RATIO of ~d to ~d bits>" (integer-length (numerator value)) (integer-length (denominator value)))))

(defvar *own-dispatch*
  (let ((table (copy-pprint-dispatch)))
    (set-pprint-dispatch '(and integer (satisfies huge-integer-p)) #'print-huge 1 table)
    (set-pprint-dispatch '(and ratio (satisfies huge-ratio-p)) #'print-huge 1 table)
    table))

(defun call-printing (function &key (length 100) (level 8) (pretty t) (circle t))
  (let ((*print-length* length) (*print-level* level) (*print-circle* circle) (*print-pretty* pretty)
        (*print-readably* nil) (*print-escape* t) (*print-lines* nil) (*print-right-margin* 100)
        (*print-base* 10) (*print-radix* nil) (*print-case* :upcase) (*print-array* t) (*print-gensym* t)
        (*print-miser-width* nil) (*print-pprint-dispatch* *own-dispatch*))
    (funcall function)))

(defmacro printing ((&rest options) &body body)
  `(call-printing (lambda () ,@body) ,@options))

(defun type-name (value)
  (let ((name (class-name (class-of value))))
    (if (symbolp name) (let ((*package* (find-package :keyword))) (short-symbol name)) (princ-to-string name))))

(defun short-symbol (symbol)
  "With its package only where that says something."
  (let ((home (symbol-package symbol)))
    (cond ((null home) (format nil "#:~a" (symbol-name symbol)))
          ((eq home (find-package :keyword)) (format nil ":~a" (symbol-name symbol)))
          ((or (eq home (find-package :common-lisp)) (eq home (find-package :common-lisp-user))) (symbol-name symbol))
          (t (let ((*package* (find-package :keyword))) (prin1-to-string symbol))))))

(defun show (value &key (most +most-text+) (length 100) (level 8) (pretty t))
  "Its text, and whether that was cut. A method for print-object may do anything."
  (handler-case
      ;; To find circles, all is printed once to nowhere: a method that never stops would not be stopped there.
      (printing (:length length :level level :pretty pretty :circle (typep value '(or cons array)))
        (bounded-text-of (out most)
          (if (or (huge-integer-p value) (huge-ratio-p value))
              (print-huge out value)
              (write value :stream out))))
    (error (condition)
      (values (format nil "#<~a that cannot be printed: ~a>" (type-name value)
                      (handler-case (said-in-time 200 (lambda (out) (princ condition out))) (error () "its error cannot either")))
              nil))))

(defun brief (value &optional (most 200))
  (multiple-value-bind (text cut) (show value :most most :length 12 :level 4 :pretty nil)
    (if cut (concatenate 'string text "…") text)))

;;; Numbers for what was shown.
(defvar *refs* (make-array +most-refs+ :initial-element nil))
(defvar *ref-numbers* (make-hash-table :test #'eq :synchronized t))
(defvar *newest-ref* 0)

(defun plain-value-p (value)
  (typep value '(or number character symbol (string 0))))

(defun ref-of (value)
  "Nothing for what its text says whole."
  (unless (or (typep value '(or number character symbol)) (and (stringp value) (< (length value) 4000)))
    (sb-sys:without-interrupts
      (or (gethash value *ref-numbers*)
          (let* ((number (incf *newest-ref*)) (slot (mod number +most-refs+)) (old (aref *refs* slot)))
            (when old (remhash (cdr old) *ref-numbers*))
            (setf (aref *refs* slot) (cons number value)
                  (gethash value *ref-numbers*) number))))))

(defun kept (number)
  "The number and what was shown under it; nothing where it was let go of, or never given."
  (let ((kept (and (plusp number) (aref *refs* (mod number +most-refs+)))))
    (and kept (= (car kept) number) kept)))

(defun value (number)
  "What was shown as #number."
  (let ((kept (kept number)))
    (if kept (cdr kept) (error "There is no #~d any more" number))))

(defun view (value)
  (multiple-value-bind (text cut) (show value)
    (obj "text" text "type" (type-name value) "ref" (or (ref-of value) :omit) "cut" (or cut :omit))))
