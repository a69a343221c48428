;;;; The project's tests, in a process of their own: asdf:test-system, with what fiveam and sb-rt found counted.
(in-package :vivarium)

(defvar *results* '() "Each as (name outcome message), outcome being :passed, :failed or :skipped.")

(defun tests-main (arguments)
  "Arguments: the file for the report, the folder, part of a name or nothing, and files to load first."
  (destructuring-bind (report folder name &rest files) arguments
    (settle-in folder)
    (setf *package* (find-package :cl-user) *compile-verbose* nil)
    (handler-case (run-tests (if (string= name "") nil name) files)
      (serious-condition (condition)
        (push (list "the tests" :failed (format nil "could not be run. ~a: ~a" (type-name condition) (condition-message condition)))
              *results*)))
    (finish-output)
    (with-open-file (out (sb-ext:parse-native-namestring report) :direction :output :if-exists :supersede :external-format :utf-8)
      (write-json (report-obj) out))
    (sb-ext:exit :code 0 :abort t)))

(defun report-obj ()
  (let ((results (reverse *results*)))
    (flet ((counted (outcome) (count outcome results :key #'second)))
      (obj "passed" (counted :passed) "failed" (counted :failed) "skipped" (counted :skipped)
           "failures" (vec (loop for (name outcome message) in results
                                 when (eq outcome :failed)
                                   collect (obj "name" name "message" message "place" "")))))))

(defun run-tests (name files)
  (let* ((systems (own-systems)) (tests (find-if #'test-name-p systems)))
    (mapc #'forget-stale systems)
    (when tests (asdf:load-system tests))
    (mapc #'load-file files)
    (collect-results)
    (if (or name files)
        (run-loaded name)
        (dolist (system (remove nil (list (find-if-not #'test-name-p systems) tests)))
          (unless *results* (test-system system))))
    (unless (or *results* name) (run-loaded nil))
    (unless *results*
      (if name
          (error "No test has ~a in its name" name)
          (push (list (format nil "asdf:test-system ~a" (first systems)) :passed "") *results*)))))

(defun forget-stale (name)
  "ASDF takes what was compiled in the second it was edited in for up to date."
  (dolist (component (source-files-of (asdf:find-system name)))
    (let ((fasl (ignore-errors (first (asdf:output-files 'asdf:compile-op component))))
          (source (asdf:component-pathname component)))
      (when (and fasl (probe-file fasl) (probe-file source) (>= (file-write-date source) (file-write-date fasl)))
        (ignore-errors (delete-file fasl))))))

(defun test-system (name)
  "Frameworks come with the system."
  (asdf:load-system name)
  (collect-results)
  (asdf:test-system name))

(defun own-systems ()
  "Of the .asd files of the folder itself, in the order they are written; those below it where it has none."
  (let* ((all (asd-files *folder* 0))
         (own (or (remove-if-not (lambda (file) (equal (pathname-directory file) (pathname-directory (truename *folder*)))) all) all)))
    (unless own (error "There is no .asd file in ~a" (sb-ext:native-namestring *folder*)))
    (mapc #'asdf:load-asd own)
    (sort (loop for name in (asdf:registered-systems)
                when (let ((file (ignore-errors (asdf:system-source-file (asdf:registered-system name)))))
                       (and file (member (truename file) own :test #'equal :key #'truename)))
                  collect name)
          #'string<)))

(defun test-name-p (name)
  (let ((end (subseq name (1+ (or (position-if (lambda (char) (find char "/-.")) name :from-end t) -1)))))
    (member end '("test" "tests" "spec") :test #'string=)))

;;; fiveam and sb-rt are asked by name: they are there only where the project uses them.
(defun symbol-of (package name)
  (let ((home (find-package package))) (and home (find-symbol name home))))

(defun collect-results ()
  (let ((run (symbol-of "IT.BESE.FIVEAM" "RUN")) (do-tests (symbol-of "SB-RT" "DO-TESTS")))
    (when run
      (sb-int:unencapsulate run 'vivarium)
      (sb-int:encapsulate run 'vivarium
                          (lambda (function &rest arguments)
                            (let ((results (apply function arguments))) (note-fiveam results) results))))
    (when do-tests
      (sb-int:unencapsulate do-tests 'vivarium)
      (sb-int:encapsulate do-tests 'vivarium
                          (lambda (function &rest arguments)
                            (multiple-value-prog1 (apply function arguments) (note-sb-rt nil)))))))

(defun note-fiveam (results)
  "A test is made of checks: it has passed when all of them have."
  (let ((tests '()))
    (dolist (result results)
      (let* ((test (funcall (symbol-of "IT.BESE.FIVEAM" "TEST-CASE") result))
             (name (brief (funcall (symbol-of "IT.BESE.FIVEAM" "NAME") test)))
             (entry (or (assoc name tests :test #'string=) (first (push (list name '()) tests)))))
        (push result (second entry))))
    (loop for (name checks) in (reverse tests)
          do (let ((failed (remove-if-not (lambda (check) (typep check (symbol-of "IT.BESE.FIVEAM" "TEST-FAILURE"))) checks))
                   (passed (find-if (lambda (check) (typep check (symbol-of "IT.BESE.FIVEAM" "TEST-PASSED"))) checks)))
               (push (list name (cond (failed :failed) (passed :passed) (t :skipped))
                           (format nil "~{~a~^~%~}"
                                   (mapcar (lambda (check) (princ-to-string (funcall (symbol-of "IT.BESE.FIVEAM" "REASON") check)))
                                           (reverse failed))))
                     *results*)))))

(defun note-sb-rt (names)
  "Those that are still pending have failed."
  (let ((pending (funcall (symbol-of "SB-RT" "PENDING-TESTS"))))
    (dolist (entry (cdr (symbol-value (symbol-of "SB-RT" "*ENTRIES*"))))
      (let ((name (funcall (symbol-of "SB-RT" "NAME") entry)))
        (when (or (null names) (member name names))
          (let ((failed (member name pending)))
            (push (list (brief name) (if failed :failed :passed)
                        (if failed (format nil "it did not give what it should: ~a" (brief (ignore-errors (funcall (symbol-of "SB-RT" "VALS") entry)))) ""))
                  *results*)))))))

(defun run-loaded (part)
  "Every test there is, or those whose names have the part in them."
  (flet ((wanted-p (name) (or (null part) (search part (princ-to-string name) :test #'char-equal))))
    (when (find-package "IT.BESE.FIVEAM")
      (dolist (name (funcall (symbol-of "IT.BESE.FIVEAM" "TEST-NAMES")))
        (when (and (wanted-p name)
                   (typep (funcall (symbol-of "IT.BESE.FIVEAM" "GET-TEST") name) (symbol-of "IT.BESE.FIVEAM" "TEST-CASE")))
          (funcall (symbol-of "IT.BESE.FIVEAM" "RUN") name))))
    (when (find-package "SB-RT")
      (let ((names (remove-if-not #'wanted-p (mapcar (symbol-of "SB-RT" "NAME") (cdr (symbol-value (symbol-of "SB-RT" "*ENTRIES*")))))))
        (dolist (name names) (funcall (symbol-of "SB-RT" "DO-TEST") name))
        (when names (note-sb-rt names))))))
