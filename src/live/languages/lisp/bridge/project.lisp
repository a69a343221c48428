;;;; The user's project: its folder, its systems, its files, and what became of them since they were loaded.
(in-package :vivarium)

(defvar *folder* nil "The project's, as a directory.")
(defvar *loaded-files* (make-hash-table :test #'equal :synchronized t) "From a file to its stamp, as of its loading.")
(defvar *systems-seen* nil "The .asd files of the folder, and when they were looked for.")
(defvar *sbcl-home* (sb-int:sbcl-homedir-pathname) "Of the SBCL the core was built with: its contribs are there.")

(defparameter *skipped-folders* '("node_modules" "dist" "build" "target" "bower_components"))

(defun folder-named (name)
  (sb-ext:parse-native-namestring (concatenate 'string (string-right-trim "/" name) "/")))

(defun settle-in (folder)
  (when folder
    (setf *folder* (folder-named folder)
          *default-pathname-defaults* *folder*))
  (when (and *sbcl-home* (null (sb-posix:getenv "SBCL_HOME")))
    (sb-posix:setenv "SBCL_HOME" (sb-ext:native-namestring *sbcl-home*) 1))
  (pushnew 'system-in-project asdf:*system-definition-search-functions*)
  (load-quicklisp))

;;; ASDF's own registry would walk the whole folder at every start; this looks when something is asked for.
(defun system-in-project (name)
  (when *folder*
    (let ((primary (asdf:primary-system-name name)))
      (find primary (project-systems) :key #'pathname-name :test #'string-equal))))

(defun project-systems ()
  (let ((now (get-universal-time)))
    (if (and *systems-seen* (< (- now (car *systems-seen*)) 2))
        (cdr *systems-seen*)
        (cdr (setf *systems-seen* (cons now (asd-files *folder* 0)))))))

(defun asd-files (folder depth)
  (append (ignore-errors (directory (merge-pathnames "*.asd" folder) :resolve-symlinks nil))
          (when (< depth 5)
            (loop for sub in (ignore-errors (uiop:subdirectories folder))
                  for name = (first (last (pathname-directory sub)))
                  unless (or (not (stringp name)) (char= (char name 0) #\.) (member name *skipped-folders* :test #'string=))
                    append (asd-files sub (1+ depth))))))

(defun load-quicklisp ()
  "The project's own, by qlot, before the user's. What goes wrong with it is said, and is no end."
  (let ((setup (or (probe-file (merge-pathnames ".qlot/setup.lisp" *default-pathname-defaults*))
                   (let ((home (sb-posix:getenv "HOME")))
                     (and home (plusp (length home))
                          (probe-file (merge-pathnames "quicklisp/setup.lisp" (folder-named home))))))))
    (when (and setup (not (find-package :quicklisp)))
      (handler-case (handler-bind ((warning #'muffle-warning)) (load setup))
        (error (condition) (format *error-output* "~a could not be loaded: ~a~%" setup condition))))))

;;; What belongs to the project is compiled so that its frames can be seen, and kept apart from the fasls of others.
(defun compile-for-debugging ()
  "Only in an image that is ours: a person's own keeps its ways."
  (setf asdf/output-translations:*output-translations-parameter* 'own-translations)
  (sb-int:encapsulate 'compile-file 'vivarium
                      (lambda (function file &rest arguments)
                        (let ((sb-c::*policy-min* (if (in-project-p file) (debug-policy) (usual-policy))))
                          (apply function file arguments)))))

(defun own-translations ()
  (if *folder*
      `(:output-translations
        ((,*folder* :**/ :*.*.*)
         (:user-cache "vivarium" ,(format nil "~36r" (sxhash (sb-ext:native-namestring *folder*))) :**/ :*.*.*))
        :inherit-configuration)
      '(:output-translations :inherit-configuration)))

(defun in-project-p (file)
  (and *folder*
       (let ((name (namestring (merge-pathnames file))) (folder (namestring *folder*)))
         (and (> (length name) (length folder)) (string= folder name :end2 (length folder))))))

(defvar *usual-policy* sb-c::*policy-min*)
(defun usual-policy () *usual-policy*)

;;; Files.
(defun project-file (name)
  (or (probe-file (sb-ext:parse-native-namestring (namestring-of name)))
      (error "There is no file ~a in ~a" name (sb-ext:native-namestring (or *folder* *default-pathname-defaults*)))))

(defun namestring-of (name) (if (pathnamep name) (sb-ext:native-namestring name) name))

(defun load-file (name)
  "Every form of a file, as if it had been evaluated: what is defined by it is known by its place."
  (let* ((file (project-file name))
         (native (sb-ext:native-namestring file))
         (stamp (stamp-of file))
         (*package* *package*) (*readtable* *readtable*)
         (*load-pathname* file) (*load-truename* file))
    (run-text (file-text file) native)
    (setf (gethash native *loaded-files*) stamp)
    file))

(defun short-name (file)
  (let ((name (namestring-of file)) (folder (and *folder* (sb-ext:native-namestring *folder*))))
    (if (and folder (> (length name) (length folder)) (string= folder name :end2 (length folder)))
        (subseq name (length folder))
        name)))

(defun loaded-systems ()
  "Those of the project that are loaded."
  (loop for name in (asdf:already-loaded-systems)
        for system = (ignore-errors (asdf:registered-system name))
        when (and system (ignore-errors (asdf:system-source-file system))
                  (in-project-p (asdf:system-source-file system)))
          collect system))

(defun source-files-of (system)
  (labels ((walk (component)
             (typecase component
               (asdf:cl-source-file (list component))
               (asdf:parent-component (mapcan #'walk (copy-list (asdf:component-children component)))))))
    (walk system)))

;; ASDF counts in seconds, and people edit faster: a file is what its bytes are.
(defun stamp-of (file)
  (ignore-errors
   (let* ((true (truename file)) (stat (sb-posix:stat (sb-ext:native-namestring true))))
     (list (sb-posix:stat-mtime stat) (sb-posix:stat-size stat) (sxhash-of true)))))

(defun sxhash-of (file)
  (with-open-file (in file :element-type '(unsigned-byte 8))
    (let ((hash 0) (bytes (make-array 65536 :element-type '(unsigned-byte 8))))
      (declare (type (unsigned-byte 60) hash))
      (loop for length = (read-sequence bytes in)
            while (plusp length)
            do (loop for index below length
                     do (setf hash (logand (+ (* hash 31) (aref bytes index)) (1- (ash 1 54))))))
      hash)))

(defvar *stamps* (make-hash-table :test #'equal :synchronized t) "Of files of systems, as of their loading.")

(defmethod asdf:perform :after ((operation asdf:load-op) (component asdf:cl-source-file))
  (let ((file (asdf:component-pathname component)))
    (when (in-project-p file) (setf (gethash (namestring file) *stamps*) (stamp-of file)))))

(defun changed-p (component)
  (let ((file (asdf:component-pathname component)))
    (not (equal (stamp-of file) (gethash (namestring file) *stamps*)))))

(defun changed-files ()
  (loop for file being the hash-keys of *loaded-files* using (hash-value stamp)
        when (let ((now (stamp-of (sb-ext:parse-native-namestring file)))) (and now (not (equal now stamp))))
          collect file))

(defun changed-systems ()
  (loop for system in (loaded-systems)
        for changed = (remove-if-not #'changed-p (source-files-of system))
        when changed collect (cons system changed)))

(defun component-of (file)
  "The system that has it, and what it is there."
  (dolist (system (loaded-systems))
    (let ((found (find file (source-files-of system)
                       :key (lambda (component) (ignore-errors (truename (asdf:component-pathname component))))
                       :test #'equal)))
      (when found (return (values system found))))))

;;; reload: the code is new, the values of variables and objects are what they were.
(defun reload (request)
  (let* ((id (field request "id"))
         (named (coerce (or (field request "files") #()) 'list))
         (*cell* nil) (*notes* '()) (*declared* '()) (*pauses* nil) (said '())
         (answer (guarded id (lambda ()
                               (let ((*package* *current-package*))
                                 (setf said (if named (reload-named named) (reload-changed)))
                                 (obj "text" "")))))
         (notes (settled-notes)))
    (flush-taps)
    (cond ((field answer "fault") (done id "text" (reload-failure (field answer "fault") notes) "failed" t))
          ((field answer "text") (done id "text" (reload-text said notes)))
          (t (done id "text" "It was stopped before it was done; some definitions may be new, others not." "failed" t)))))

(defun reload-changed ()
  (append (loop for (system . files) in (changed-systems)
                do (load-system-again system files)
                append (loop for file in files collect (short-name (asdf:component-pathname file))))
          (loop for file in (changed-files) do (load-file file) collect (short-name file))))

(defun reload-named (names)
  (loop for name in names
        for file = (project-file name)
        do (multiple-value-bind (system component) (component-of file)
             (if system (load-system-again system (list component)) (load-file file)))
        collect (short-name file)))

(defun load-system-again (system components)
  "What depends on a file is compiled again with it, as ASDF has it."
  (dolist (component components)
    (dolist (fasl (asdf:output-files 'asdf:compile-op component)) (ignore-errors (delete-file fasl))))
  (handler-bind ((sb-ext:compiler-note #'note-condition) (sb-c:compiler-error #'note-compiler-error) (warning #'note-condition))
    (let ((*standard-output* (make-broadcast-stream))) (asdf:load-system system))))

(defun reload-text (files notes)
  (format nil "~a~{~%~a~}"
          (if files
              (format nil "Reloaded ~{~a~^, ~}. Values were kept.~a" files
                      (if *declared* (format nil " Defined again: ~{~a~^, ~}." (first-of (reverse *declared*) 20)) ""))
              "Nothing has changed on disk since it was loaded.")
          (note-lines notes)))

(defun note-lines (notes)
  (loop for note in (first-of notes 20)
        collect (format nil "[~a] ~a~a" (string-upcase (field note "severity")) (field note "message")
                        (if (string= (field note "file") "")
                            ""
                            (format nil " (~a:~d:~d)" (short-name (field note "file")) (field note "line") (field note "column"))))))

(defun first-of (list count) (subseq list 0 (min count (length list))))

(defun reload-failure (fault notes)
  (let ((frame (find-if (lambda (frame) (string/= (field frame "file") "")) (field fault "frames"))))
    (format nil "[ERROR] ~a: ~a~a~{~%~a~}~%What stands before that place may be new; what follows is as it was."
            (field fault "type") (field fault "message")
            (if frame
                (format nil " (~a:~d:~d)" (short-name (field frame "file")) (field frame "line") (field frame "column"))
                "")
            (note-lines notes))))
