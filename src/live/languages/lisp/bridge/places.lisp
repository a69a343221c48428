;;;; From a form, a note of the compiler or a frame to the file, line and column it stands at.
(in-package :vivarium)

(defstruct text-source file text)

(defvar *places* (make-hash-table :test #'eq :weakness :key :synchronized t)
  "From each cons of what was evaluated to its source and offset.")

(defun remember-places (form file text start)
  (when (consp form)
    (let ((source (make-text-source :file file :text text)))
      (maphash (lambda (cons at) (setf (gethash cons *places*) (cons source at)))
               (positions-of form text start)))))

(defun place-of (form)
  "File, line and column; nothing for what was not read here."
  (let ((known (and (consp form) (gethash form *places*))))
    (when known
      (multiple-value-bind (line column) (line-column (text-source-text (car known)) (cdr known))
        (values (text-source-file (car known)) line column)))))

(defun frame-place (frame)
  (ignore-errors
   (let* ((location (sb-di:frame-code-location frame))
          (source (sb-di:code-location-debug-source location)))
     (if (typep source 'sb-c::core-debug-source)
         (core-place (sb-c::core-debug-source-form source) location)
         (file-place (sb-int:debug-source-namestring source) location)))))

(defun subform-at (form path)
  "As far down as there are conses with a place."
  (let ((best form))
    (dolist (index path best)
      (setf form (and (consp form) (ignore-errors (nth index form))))
      (if (consp form) (setf best form) (return best)))))

(defun core-place (form location)
  (let* ((number (ignore-errors (sb-di:code-location-form-number location)))
         (paths (and number (ignore-errors (sb-di:form-number-translations form 0))))
         ;; The path leads from the inside out, and ends with the number of the form.
         (path (and paths (< number (length paths)) (rest (reverse (aref paths number)))))
         (at (subform-at form path)))
    (multiple-value-bind (file line column) (place-of at)
      (if file (values file line column) (place-of form)))))

(defun file-place (name location)
  (when name
    (let* ((file (translate-logical-pathname name))
           (text (file-text file))
           (index (sb-di:code-location-toplevel-form-offset location))
           (number (ignore-errors (sb-di:code-location-form-number location))))
      (multiple-value-bind (form start) (nth-form text index)
        (let* ((paths (and number (ignore-errors (sb-di:form-number-translations form 0))))
               (path (and paths (< number (length paths)) (rest (reverse (aref paths number)))))
               (at (gethash (subform-at form path) (positions-of form text start) start)))
          (multiple-value-bind (line column) (line-column text at)
            (values (sb-ext:native-namestring file) line column)))))))

(defun file-text (file)
  (with-open-file (in file :external-format '(:utf-8 :replacement #\?))
    (let* ((text (make-string (min (file-length in) 5000000))) (length (read-sequence text in)))
      (subseq text 0 length))))

(defun nth-form (text index)
  "Read as data, in the package the file says; and where it begins."
  (let ((at 0) (*package* *package*) (*read-eval* nil) (form nil) (start 0))
    (dotimes (count (1+ index) (values form start))
      (setf start (skip-blank text at))
      (multiple-value-bind (read next)
          (handler-case (read-from-string text t nil :start start :preserve-whitespace t)
            (error () (values nil (skip-form text start (constantly nil) nil))))
        (setf form read at next)
        (when (and (consp form) (eq (car form) 'in-package))
          (let ((named (find-package (second form)))) (when named (setf *package* named))))))))
