;;;; An image of a person's own, worked in by `vivarium live --attach` from the same folder: it is left as it is wherever that is possible.
(eval-when (:compile-toplevel :load-toplevel :execute)
  (require :sb-bsd-sockets))

(in-package :vivarium)

(export '(connect disconnect))

(defvar *listener* nil "The socket at which we wait, and its file.")
(defvar *visitor-lock* (sb-thread:make-mutex :name "visitor"))

(defun connect (&key (folder (sb-posix:getcwd)))
  "Lets a live server that was started in the folder work in this image. The file it is reached at."
  (when *listener* (return-from connect (cdr *listener*)))
  (let* ((place (concatenate 'string (string-right-trim "/" (sb-ext:native-namestring (pathname folder))) "/.vivarium"))
         (file (format nil "~a/here-lisp-~d.sock" place (sb-posix:getpid)))
         (socket (make-instance 'sb-bsd-sockets:local-socket :type :stream)))
    ;; Only for the user who runs the program: whoever can open it can do everything the program can.
    (handler-case (sb-posix:mkdir place #o700)
      (sb-posix:syscall-error (condition)
        (unless (= (sb-posix:syscall-errno condition) sb-posix:eexist) (error "~a cannot be made: ~a" place condition))))
    (unless (own-p place)
      (error "~a is a link, or belongs to another user, who could answer in the place of this image: remove it" place))
    (sb-posix:chmod place #o700)
    (ignore-errors (sb-posix:unlink file))
    ;; From here on it is taken away, whatever happens.
    (setf *listener* (cons socket file))
    (pushnew 'disconnect sb-ext:*exit-hooks*)
    (sb-bsd-sockets:socket-bind socket file)
    ;; Nobody can connect before it listens.
    (sb-posix:chmod file #o600)
    (sb-bsd-sockets:socket-listen socket 4)
    (setf *folder* (folder-named (subseq place 0 (- (length place) (length ".vivarium"))))
          *attended* nil)
    (pushnew 'system-in-project asdf:*system-definition-search-functions*)
    (ignore-errors (name-last-values))
    (ensure-threads)
    (sb-thread:make-thread #'welcome :name "visitors" :arguments (list socket))
    file))

(defun disconnect ()
  "Nobody new can come; who is there loses the channel when the image ends."
  (let ((listener (shiftf *listener* nil)))
    (when listener
      (ignore-errors (sb-posix:unlink (cdr listener)))
      ;; Closing alone would not wake who waits in accept.
      (ignore-errors (sb-bsd-sockets:socket-shutdown (car listener) :direction :io))
      (ignore-errors (sb-bsd-sockets:socket-close (car listener)))
      t)))

(defun note-leaving ()
  "Before SBCL ends the threads: none may come in the place of another then."
  (setf *leaving* t))

(defun ensure-threads ()
  (pushnew 'note-leaving sb-ext:*exit-hooks*)
  (unless (and *worker* (sb-thread:thread-alive-p *worker*))
    (setf *work* 'work-apart
          *worker* (sb-thread:make-thread *work* :name "evaluations")))
  (unless (and *clerk* (sb-thread:thread-alive-p *clerk*))
    (setf *clerk* (sb-thread:make-thread #'clerk :name "questions"))))

(defun work-apart ()
  "The last values are those of the visitor; the person at the image has others."
  (let ((* nil) (** nil) (*** nil) (/ nil) (// nil) (/// nil) (+ nil) (++ nil) (+++ nil) (- nil)
        (*compile-verbose* nil) (*compile-print* nil) (*load-verbose* nil))
    (work)))

(defun welcome (socket)
  (loop
    (let ((visitor (handler-case (sb-bsd-sockets:socket-accept socket)
                     (sb-bsd-sockets:interrupted-error () nil)
                     (error () (unless (and *listener* (eq (car *listener*) socket)) (return)) (sleep 0.1) nil))))
      (when visitor (sb-thread:make-thread #'attend-visitor :name "visitor" :arguments (list visitor))))))

(defun send-away (visitor)
  "What it says first is read, so that it sees an end and no failure."
  (ignore-errors
   (sb-ext:with-timeout 2
     (read-line (sb-bsd-sockets:socket-make-stream visitor :input t :external-format :utf-8) nil nil)))
  (ignore-errors (sb-bsd-sockets:socket-close visitor)))

(defun attend-visitor (visitor)
  "One at a time. The last one may be just leaving; who comes while another stays is sent away."
  (sb-thread:with-mutex (*visitor-lock* :timeout 1)
    (unwind-protect
         (handler-case (attend (sb-bsd-sockets:socket-file-descriptor visitor) #'begin-visit)
           (serious-condition () nil))
      (end-visit)
      (ignore-errors (sb-bsd-sockets:socket-close visitor)))
    (return-from attend-visitor t))
  (send-away visitor))

(defun begin-visit (terms)
  (declare (ignore terms))
  (ensure-threads)
  (setf *attended* t)
  ;; It has waited without an end.
  (put *clerk-box* nil))

(defun end-visit ()
  "What still runs for a visitor who has gone is stopped: nobody else could."
  (setf *attended* nil
        *send* (lambda (frame) (declare (ignore frame))))
  (let ((running *running*))
    (when (and running *worker* (sb-thread:thread-alive-p *worker*)) (ignore-errors (interrupt-worker *worker* running)))))
