;;;; Writes a core with the bridge in it to the file named last on the command line.
(handler-bind ((warning #'muffle-warning)) (load (merge-pathnames "package.lisp" *load-truename*)))
;; Names of ours in CL-USER would be in the way of the packages the user wants there.
(in-package :vivarium)
(load (merge-pathnames "files.lisp" *load-truename*))
(let ((folder *load-truename*) (draft (first (last sb-ext:*posix-argv*))))
  (handler-bind ((warning #'muffle-warning))
    (dolist (name (append cl-user::*vivarium-files* '("rehearse")))
      (let ((fasl (concatenate 'string draft "." name ".fasl")))
        (unwind-protect
             (load (or (compile-file (merge-pathnames (concatenate 'string name ".lisp") folder) :output-file fasl)
                       (sb-ext:exit :code 3 :abort t)))
          (ignore-errors (delete-file fasl))))))
  (sb-ext:save-lisp-and-die draft :toplevel (intern "MAIN" :vivarium)))
