;;;; Where forms stand in their text: the reader does not say, so the text is walked beside what was read from it.
(in-package :vivarium)

(defun line-column (text offset)
  "Both begin at 1."
  (let* ((offset (min offset (length text)))
         (line (1+ (count #\newline text :end offset)))
         (start (let ((newline (position #\newline text :end offset :from-end t))) (if newline (1+ newline) 0))))
    (values line (1+ (- offset start)))))

(defun skip-blank (text at)
  "Over white space and comments; also where the last comment begins, if it has no end."
  (loop
    (let ((at-now at))
      (setf at (or (position-if-not (lambda (char) (member char '(#\space #\tab #\newline #\return #\page))) text :start at)
                   (length text)))
      (cond ((>= at (length text)) (return at))
            ((char= (char text at) #\;) (setf at (or (position #\newline text :start at) (length text))))
            ((starts-at text at "#|")
             (multiple-value-bind (next closed) (skip-block text at)
               (unless closed (return (values next at)))
               (setf at next)))
            ((= at at-now) (return at))))))

(defun starts-at (text at what)
  (let ((end (+ at (length what))))
    (and (<= end (length text)) (string= what text :start2 at :end2 end))))

(defun skip-block (text at)
  (let ((depth 0))
    (loop while (< at (length text))
          do (cond ((starts-at text at "#|") (incf depth) (incf at 2))
                   ((starts-at text at "|#") (decf depth) (incf at 2) (when (zerop depth) (return)))
                   (t (incf at))))
    (values at (zerop depth))))

(defun skip-quoted (text at end)
  (loop for index from (1+ at) below (length text)
        do (let ((char (char text index)))
             (cond ((char= char #\\) (incf index))
                   ((char= char end) (return (1+ index)))))
        finally (return (length text))))

(defun skip-token (text at)
  (loop while (< at (length text))
        do (let ((char (char text at)))
             (cond ((char= char #\\) (incf at 2))
                   ((char= char #\|) (setf at (skip-quoted text at #\|)))
                   ((find char '(#\space #\tab #\newline #\return #\page #\( #\) #\" #\; #\' #\`)) (return))
                   (t (incf at)))))
  (min at (length text)))

(defun skip-form (text at note form)
  "Past one form; NOTE is told of each cons and where it begins. What is not understood is passed over as one word."
  (setf at (skip-blank text at))
  (when (>= at (length text)) (return-from skip-form at))
  (let ((char (char text at)))
    (case char
      (#\( (when (consp form) (funcall note form at))
       (let ((inner (1+ at)) (rest form))
         (loop
           (setf inner (skip-blank text inner))
           (cond ((>= inner (length text)) (return inner))
                 ((char= (char text inner) #\)) (return (1+ inner)))
                 (t (setf inner (max (1+ inner) (skip-form text inner note (if (consp rest) (car rest) nil)))
                          rest (if (consp rest) (cdr rest) nil)))))))
      (#\" (skip-quoted text at #\"))
      ((#\' #\`) (when (consp form) (funcall note form at))
       (skip-form text (1+ at) note (if (and (consp form) (consp (cdr form))) (cadr form) nil)))
      (#\, (skip-form text (+ at (if (find (char text (min (1+ at) (1- (length text)))) "@.") 2 1)) note nil))
      (#\# (let ((next (if (< (1+ at) (length text)) (char text (1+ at)) #\space)))
             (case next
               (#\\ (max (+ at 3) (skip-token text (+ at 3))))
               (#\' (skip-form text (+ at 2) note (if (and (consp form) (consp (cdr form))) (cadr form) nil)))
               (#\( (skip-form text (1+ at) note nil))
               ((#\+ #\-) (skip-form text (skip-form text (+ at 2) note nil) note form))
               (t (skip-token text (1+ at))))))
      (#\) at)
      (t (max (1+ at) (skip-token text at))))))

(defun positions-of (form text start)
  "From each cons of the form to where it begins."
  (let ((table (make-hash-table :test #'eq)))
    (ignore-errors
     (skip-form text start (lambda (cons at) (unless (gethash cons table) (setf (gethash cons table) at))) form))
    table))
