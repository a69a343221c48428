;;;; Where the time goes, and what fills the memory.
(in-package :vivarium)

(defconstant +sample-seconds+ 1/500)

(define-op "profile" (request)
  (cond ((string= (field request "action" "") "start")
         (sb-sprof:reset)
         (sb-sprof:start-profiling :mode :cpu :sample-interval (float +sample-seconds+) :max-samples 40000 :threads (list *worker*))
         (obj))
        (t (sb-sprof:stop-profiling)
           (profile-costs))))

(defun profile-costs ()
  (let* ((text (with-output-to-string (out)
                 (ignore-errors (sb-sprof:report :type :flat :stream out))))
         (rows (loop for line in (lines-of text) for row = (profile-row line) when row collect row))
         (named (remove "elsewhere" rows :key #'cdr :test #'string=))
         (each (* 1000 +sample-seconds+)))
    (obj "costs" (vec (loop for (count . name) in (first-of named 25)
                            collect (obj "name" name "place" "" "ms" (float (* count each)))))
         "ms" (float (* each (reduce #'+ rows :key #'car)))
         "more" (max 0 (- (length named) 25)))))

(defun lines-of (text)
  (loop with start = 0
        for end = (position #\newline text :start start)
        collect (subseq text start end)
        while end
        do (setf start (1+ end))))

(defun profile-row (line)
  "Nr, its own count, its share, three more pairs, calls, and the name; of the last line only count, share and `elsewhere`."
  (let ((words (remove "" (uiop:split-string line :separator " ") :test #'string=)))
    (flet ((number-at (index) (let ((word (nth index words))) (and word (parse-integer word :junk-allowed t)))))
      (cond ((and (> (length words) 8) (every #'digit-char-p (first words)) (number-at 1))
             (let ((name (format nil "~{~a~^ ~}" (nthcdr 8 words))))
               (and (plusp (number-at 1)) (cons (number-at 1) name))))
            ((and (search "elsewhere" line) (number-at 0) (plusp (number-at 0))) (cons (number-at 0) "elsewhere"))))))

(define-op "heap" (request)
  (let ((counts (make-hash-table :test #'eq)))
    (sb-vm::map-allocated-objects
     (lambda (object type size)
       (declare (ignore type size))
       (when (typep object '(or standard-object structure-object condition))
         (let ((class (class-of object))) (incf (gethash class counts 0)))))
     :dynamic)
    (let ((own (sort (loop for class being the hash-keys of counts using (hash-value count)
                           for name = (class-name class)
                           unless (or (null name) (not (symbolp name)) (system-symbol-p name))
                             collect (obj "name" (short-symbol name) "count" count))
                     #'> :key (lambda (one) (field one "count")))))
      (obj "usedSize" (sb-kernel:dynamic-usage)
           "totalSize" (or *heap-limit* (sb-ext:dynamic-space-size))
           "classes" (vec (first-of own 30)) "more" (max 0 (- (length own) 30))))))
