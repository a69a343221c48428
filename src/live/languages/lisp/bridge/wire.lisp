;;;; The private channel: every frame carries the secret, and is written whole.
(in-package :vivarium)

(defvar *send* (lambda (line) (declare (ignore line))) "Writes a frame; it alone knows the secret.")
(defvar *main-fd* nil "The channel of an image that is ours.")
(defvar *wire-lock* (sb-thread:make-mutex :name "wire"))
(declaim (type function *send*))

(defun make-sender (fd secret)
  "The secret is held by the closure alone: no variable has it."
  (lambda (frame)
    (let* ((line (with-output-to-string (out)
                   (write-json (list* :obj (cons "secret" secret) (cdr frame)) out)
                   (write-char #\newline out)))
           (bytes (sb-ext:string-to-octets line :external-format :utf-8)))
      ;; An interrupt in the middle of a line would leave half of it on the channel.
      (sb-sys:without-interrupts
        (sb-thread:with-mutex (*wire-lock*)
          (unless (or (write-octets fd bytes) (not (eql fd *main-fd*)))
            (end-without-channel)))))))

(defun end-without-channel ()
  "The program has closed it. Nobody could ever hear of what is done here, so it ends, which is heard."
  (let ((last-words (sb-ext:string-to-octets (format nil "The private channel to the server was closed by code in the image.~%"))))
    (write-octets 2 last-words))
  (sb-sys:os-exit 70 :abort t))

(defun mind-channel ()
  "Closing it wakes nobody who reads from it."
  (when (and *main-fd* (minusp (sb-alien:alien-funcall (sb-alien:extern-alien "fcntl" (function sb-alien:int sb-alien:int sb-alien:int sb-alien:int))
                                                       *main-fd* sb-posix:f-getfd 0)))
    (end-without-channel)))

(defun write-octets (fd bytes)
  (let ((at 0) (length (length bytes)))
    (sb-sys:with-pinned-objects (bytes)
      (loop while (< at length)
            do (multiple-value-bind (written errno)
                   (sb-unix:unix-write fd bytes at (- length at))
                 (cond (written (incf at written))
                       ((= errno sb-unix:eintr))
                       ((= errno sb-unix:ewouldblock) (sleep 0.001))
                       (t (return nil))))
            finally (return t)))))

(defun send (frame) (funcall *send* frame) nil)

(defun done (id &rest members)
  (send (list* :obj (cons "id" id) (cons "ev" "done") (cdr (apply #'obj members)))))

(defun refused (id format &rest arguments)
  (done id "refused" (apply #'format nil format arguments)))

;;; A box others put things into, and one takes them out of.
(defstruct box
  (lock (sb-thread:make-mutex :name "box"))
  (filled (sb-thread:make-waitqueue))
  (items '()))

(defun put (box item)
  (sb-sys:without-interrupts
    (sb-thread:with-mutex ((box-lock box))
      (setf (box-items box) (nconc (box-items box) (list item)))
      (sb-thread:condition-notify (box-filled box)))))

(defun take (box &optional seconds)
  "The next one; nothing after so many seconds."
  (sb-thread:with-mutex ((box-lock box))
    (loop until (box-items box)
          do (unless (sb-thread:condition-wait (box-filled box) (box-lock box) :timeout seconds)
               (return-from take nil)))
    (pop (box-items box))))
