;;;; sbcl --load run-server.lisp: this image can be worked in by `vivarium live --attach`, started in the same folder; with
;;;; --eval '(vivarium:serve)' it is itself a server of the Model Context Protocol on stdin and stdout.
(unless (probe-file (merge-pathnames "package.lisp" *load-truename*))
  (error "run-server.lisp needs the files that come with it: load it where it was installed, from node_modules/vivarium/dist/live/lisp/bridge/"))
(handler-bind ((warning #'muffle-warning)) (load (merge-pathnames "package.lisp" *load-truename*)))
;; Names of ours in CL-USER would be in the way of the packages the user wants there.
(in-package :vivarium)

;; SBCL loses a SIGTERM that the system hands to its thread of finalizers. A handler of the user's own is left alone.
(when (ignore-errors
       (member #'sb-unix::sigterm-handler
               (sb-kernel:%closure-values
                (sb-kernel:%make-lisp-obj
                 (sb-sys:sap-ref-word (sb-sys:int-sap (sb-sys:find-foreign-symbol-address "lisp_sig_handlers"))
                                      (* sb-vm:n-word-bytes sb-unix:sigterm))))))
  (sb-sys:enable-interrupt sb-unix:sigterm
                           (lambda (signal info context)
                             (declare (ignore signal info context))
                             (if (eq sb-thread:*current-thread* (sb-thread:main-thread))
                                 (sb-ext:exit)
                                 (sb-thread:interrupt-thread (sb-thread:main-thread) #'sb-ext:exit)))))

(load (merge-pathnames "files.lisp" *load-truename*))

(let* ((folder *load-truename*)
       (*error-output* (make-broadcast-stream))
       (*standard-output* *error-output*)
       (*compile-verbose* nil) (*compile-print* nil) (*load-verbose* nil)
       (sources (loop for name in (append cl-user::*vivarium-files* '("visit" "mcp" "serve"))
                      collect (cons name (merge-pathnames (concatenate 'string name ".lisp") folder))))
       ;; By what the files say: packages are unpacked with dates that say nothing.
       (key (sxhash (format nil "~a~{ ~d~}" (lisp-implementation-version)
                            (loop for (nil . file) in sources
                                  collect (with-open-file (in file :external-format :utf-8)
                                            (let* ((text (make-string (file-length in))) (end (read-sequence text in)))
                                              (sxhash (subseq text 0 end))))))))
       (place (let ((set (sb-ext:posix-getenv "XDG_CACHE_HOME")))
                (format nil "~a/vivarium"
                        (if (and set (plusp (length set))) set (format nil "~a.cache" (sb-ext:native-namestring (user-homedir-pathname)))))))
       (cache (format nil "~a/bridge-~36r" place key)))
  (flet ((compiled (name source)
           ;; Compiled once, and kept; where that cannot be, or others could have written there, its text will do.
           (let* ((file (format nil "~a/~a.fasl" cache name))
                  (fasl (sb-ext:parse-native-namestring file))
                  (draft (sb-ext:parse-native-namestring (format nil "~a/~a.~36r.fasl" cache name (random (expt 36 8) (make-random-state t)))))
                  (mask (sb-posix:umask #o077)))
             (unwind-protect
                  (ignore-errors
                   (ensure-directories-exist fasl)
                   (dolist (folder (list place cache))
                     (unless (own-p folder) (error "~a belongs to another user" folder))
                     (sb-posix:chmod folder #o700))
                   (unless (probe-file fasl)
                     (compile-file source :output-file draft)
                     (rename-file draft fasl)))
               (sb-posix:umask mask))
             (if (every (lambda (path) (own-p path :closed t)) (list place cache file)) fasl source))))
    (handler-bind ((warning #'muffle-warning))
      (loop for (name . source) in sources do (load (compiled name source))))))

(format *error-output* "~&; vivarium live --attach, started in this folder, works in this image: ~a~%" (uiop:symbol-call :vivarium '#:connect))
