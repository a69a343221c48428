;;;; What is printed goes to the host as it comes, told apart by the evaluation it belongs to, and never without bounds.
(in-package :vivarium)

(defconstant +chunk+ 8192)
(defconstant +straight+ 1000000 "So much of one evaluation is sent as it is; of what follows, only the newest at a time.")

(defvar *cell* nil "The evaluation this thread works for.")

(defclass tap (sb-gray:fundamental-character-output-stream)
  ((name :initarg :name :reader tap-name)
   (lock :initform (sb-thread:make-mutex :name "tap") :reader tap-lock)
   (text :initform (make-string-output-stream) :reader tap-text)
   (held :initform 0 :accessor tap-held)
   (cell :initform nil :accessor tap-cell)
   (sent :initform 0 :accessor tap-sent)
   (skipped :initform 0 :accessor tap-skipped)
   (column :initform 0 :accessor tap-column)))

(defvar *out* (make-instance 'tap :name "out"))
(defvar *err* (make-instance 'tap :name "err"))

(defmacro with-tap ((tap) &body body)
  "A writer that is interrupted must not keep the others out."
  `(sb-sys:without-interrupts
     (sb-thread:with-recursive-lock ((tap-lock ,tap)) ,@body)))

(defun tap-flush (tap)
  (with-tap (tap)
    (when (or (plusp (tap-held tap)) (plusp (tap-skipped tap)))
      (let ((text (get-output-stream-string (tap-text tap))) (skipped (tap-skipped tap)))
        (incf (tap-sent tap) (tap-held tap))
        (setf (tap-held tap) 0 (tap-skipped tap) 0)
        (send (obj "ev" (tap-name tap)
                   "cell" (or (tap-cell tap) :omit)
                   "text" text
                   "skipped" (if (plusp skipped) skipped :omit)))))))

(defun tap-write (tap text start end)
  (with-tap (tap)
    (unless (eql (tap-cell tap) *cell*)
      (tap-flush tap)
      (setf (tap-cell tap) *cell* (tap-sent tap) 0))
    (let ((newline (position #\newline text :start start :end end :from-end t)))
      (setf (tap-column tap) (if newline (- end newline 1) (+ (tap-column tap) (- end start)))))
    (write-string text (tap-text tap) :start start :end end)
    (incf (tap-held tap) (- end start))
    (when (> (tap-held tap) +chunk+)
      (if (< (tap-sent tap) +straight+)
          (tap-flush tap)
          (tap-shorten tap)))))

(defun tap-shorten (tap)
  "A flood: the host would keep only its end anyway."
  (when (> (tap-held tap) (* 16 +chunk+))
    (let* ((all (get-output-stream-string (tap-text tap)))
           (from (max 0 (- (length all) +chunk+))))
      (incf (tap-skipped tap) from)
      (write-string all (tap-text tap) :start from)
      (setf (tap-held tap) (- (length all) from)))))

(defmethod sb-gray:stream-write-char ((tap tap) char)
  (tap-write tap (string char) 0 1)
  char)

(defmethod sb-gray:stream-write-string ((tap tap) text &optional (start 0) end)
  (tap-write tap text start (or end (length text)))
  text)

(defmethod sb-gray:stream-line-column ((tap tap)) (tap-column tap))
(defmethod sb-gray:stream-finish-output ((tap tap)) (tap-flush tap))
(defmethod sb-gray:stream-force-output ((tap tap)) (tap-flush tap))
(defmethod stream-element-type ((tap tap)) 'character)

(defun flush-taps ()
  (tap-flush *out*)
  (tap-flush *err*))

(defun empty-input () (make-concatenated-stream))

(defmacro with-own-streams (&body body)
  "Nobody is at a terminal: what is read is at its end."
  `(let* ((*standard-output* *out*)
          (*error-output* *err*)
          (*trace-output* *out*)
          (*standard-input* (empty-input))
          (*terminal-io* (make-two-way-stream *standard-input* *out*))
          (*debug-io* *terminal-io*)
          (*query-io* *terminal-io*))
     ,@body))

(defun take-over-streams ()
  "For the threads the program starts."
  (setf *standard-output* *out*
        *error-output* *err*
        *trace-output* *out*
        *standard-input* (empty-input)
        *terminal-io* (make-two-way-stream *standard-input* *out*)
        *debug-io* *terminal-io*
        *query-io* *terminal-io*))

(defun display (file &optional (mime-type (mime-type-of file)))
  "Shows a picture to whoever asked for the evaluation."
  (with-open-file (in file :element-type '(unsigned-byte 8))
    (when (> (file-length in) 5000000) (error "~a is too large to be shown" file))
    (let ((bytes (make-array (file-length in) :element-type '(unsigned-byte 8))))
      (read-sequence bytes in)
      (send (obj "ev" "display" "mimeType" mime-type "data" (base64 bytes)))
      (values))))

(defun mime-type-of (file)
  (let ((type (string-downcase (or (pathname-type file) ""))))
    (cond ((string= type "png") "image/png")
          ((member type '("jpg" "jpeg") :test #'string=) "image/jpeg")
          ((string= type "gif") "image/gif")
          ((string= type "webp") "image/webp")
          ((string= type "svg") "image/svg+xml")
          (t (error "~a is no picture: .png, .jpg, .gif, .webp and .svg are" file)))))

(defun base64 (bytes)
  (let ((alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
    (with-output-to-string (out)
      (loop for at from 0 below (length bytes) by 3
            for left = (min 3 (- (length bytes) at))
            for word = (logior (ash (aref bytes at) 16)
                               (if (> left 1) (ash (aref bytes (+ at 1)) 8) 0)
                               (if (> left 2) (aref bytes (+ at 2)) 0))
            do (loop for shift from 18 downto 0 by 6 for index from 0
                     do (write-char (if (> index left) #\= (char alphabet (ldb (byte 6 shift) word))) out))))))
