;;;; The whole image, written to a file: a child of this process writes it, and this one goes on.
(in-package :vivarium)

(defun save-image (id request)
  (let ((file (field request "file")))
    (cond (*running* (refused id "something runs in it"))
          ((null *main-fd*) (refused id "it is a program of its own"))
          (t (end-threads)
             (unwind-protect
                  (let ((others (other-threads)))
                    (if others
                        (refused id "it has threads of its own, which no image can hold: ~{~a~^, ~}"
                                 (mapcar (lambda (one) (or (sb-thread:thread-name one) "one without a name")) others))
                        (fork-and-save id file)))
               (start-threads))))))

(defun end-threads ()
  (let ((worker *worker*))
    (put *worker-box* :end)
    (put *clerk-box* :end)
    (when worker (sb-thread:join-thread worker :default nil))
    (sb-thread:join-thread *clerk* :default nil)))

(defun other-threads ()
  (remove sb-thread:*current-thread* (sb-thread:list-all-threads)))

(defun fork-and-save (id file)
  "SBCL's own fork ends and begins the thread of finalizers."
  (let ((child (sb-posix:fork)))
    (if (zerop child)
        (write-core file)
        (sb-thread:make-thread
         (lambda ()
           (let ((status (nth-value 1 (sb-posix:waitpid child 0))))
             (if (and (sb-posix:wifexited status) (zerop (sb-posix:wexitstatus status))
                      (probe-file (sb-ext:parse-native-namestring file)))
                 (done id)
                 (refused id "it could not be written to ~a" file))))
         :name "saving"))))

(defun write-core (file)
  "In the child, which must say nothing: what it shares with its parent is the parent's."
  (handler-case
      (let ((nowhere (sb-posix:open "/dev/null" sb-posix:o-rdwr)))
        (sb-posix:dup2 nowhere 1)
        (sb-posix:dup2 nowhere 2)
        (sb-posix:dup2 nowhere *main-fd*)
        (setf *history* (list * ** *** / // /// + ++ +++)
              *send* (lambda (frame) (declare (ignore frame))))
        (sb-ext:save-lisp-and-die (sb-ext:parse-native-namestring file) :toplevel #'main))
    (serious-condition () (sb-ext:exit :code 1 :abort t))))
