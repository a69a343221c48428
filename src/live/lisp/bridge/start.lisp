;;;; The slower way to an image, until the core is built: the bridge from its sources.
(load (merge-pathnames "files.lisp" *load-truename*))
(let ((folder *load-truename*) (*error-output* (make-broadcast-stream)))
  (handler-bind ((warning #'muffle-warning))
    (dolist (name cl-user::*vivarium-files*)
      (load (merge-pathnames (concatenate 'string name ".lisp") folder)))))
(funcall (intern "MAIN" :vivarium))
