;;;; The slower way to an image, until the core is built: the bridge from its sources.
(handler-bind ((warning #'muffle-warning)) (load (merge-pathnames "package.lisp" *load-truename*)))
;; Names of ours in CL-USER would be in the way of the packages the user wants there.
(in-package :vivarium)
(load (merge-pathnames "files.lisp" *load-truename*))
(let ((folder *load-truename*) (*error-output* (make-broadcast-stream)))
  (handler-bind ((warning #'muffle-warning))
    (dolist (name cl-user::*vivarium-files*)
      (load (merge-pathnames (concatenate 'string name ".lisp") folder)))))
(let ((*package* (find-package :cl-user))) (main))
