;;;; What the Model Context Protocol asks of a server with one tool, evaluate-lisp: every message to its answer.
(in-package :vivarium)

(defparameter *revisions* '("2025-11-25" "2025-06-18" "2025-03-26" "2024-11-05") "The newest first.")
(defconstant +most-shown-frames+ 20)
(defconstant +most-printed+ 50000 "Characters of one answer, from each of the two outputs.")
(defconstant +most-batch+ 100)

(defvar *revision* nil "The one agreed upon.")
(defvar *cell-number* 0)
(defvar *asked* nil "The id of the request that is evaluated now, and its cell.")
(defvar *cancelled* '() "Ids of requests nobody waits for any more.")
(defvar *answer-box* (make-box))
(defvar *printed* (make-hash-table :test #'equal) "Since the last answer: from out and err to text, and to how much more there was.")
(defvar *printed-lock* (sb-thread:make-mutex :name "printed"))
(defvar *pictures* '())

(defun object-p (value) (and (consp value) (eq (car value) :obj)))

(defun valid-id-p (id) (or (stringp id) (integerp id)))

(defun id-of (message)
  (let ((id (and (object-p message) (field message "id"))))
    (if (valid-id-p id) id :null)))

(defun params-of (message)
  (let ((params (field message "params"))) (if (object-p params) params (list :obj))))

(defun reply (message result)
  (obj "jsonrpc" "2.0" "id" (field message "id") "result" result))

(defun failure (id code text data)
  (obj "jsonrpc" "2.0" "id" id "error" (obj "code" code "message" text "data" data)))

(defun invalid (message why) (failure (id-of message) -32600 "Invalid Request" why))
(defun wrong (message why) (failure (id-of message) -32602 "Invalid params" why))

(defun answer-message (message)
  "Nothing where none is due."
  (cond ((eq message :bad) (failure :null -32700 "Parse error" "The line is no JSON"))
        ((eq message :long) (failure :null -32600 "Invalid Request" "The message is too long"))
        ((simple-vector-p message) (answer-batch message))
        ((not (object-p message)) (failure :null -32600 "Invalid Request" "A message is an object"))
        ((not (equal (field message "jsonrpc") "2.0")) (invalid message "Missing required field: jsonrpc"))
        ((not (stringp (field message "method")))
         ;; An answer: nothing was asked.
         (unless (or (assoc "result" (cdr message) :test #'string=) (assoc "error" (cdr message) :test #'string=))
           (invalid message "Missing required field: method")))
        ((not (assoc "id" (cdr message) :test #'string=)) nil)
        ((not (valid-id-p (field message "id"))) (invalid message "An id is a string or a whole number"))
        (t (answer-request message (field message "method")))))

(defun answer-batch (messages)
  "Only 2025-03-26 has them."
  (cond ((not (equal *revision* "2025-03-26")) (failure :null -32600 "Invalid Request" "There are no batches in this revision"))
        ((not (<= 1 (length messages) +most-batch+))
         (failure :null -32600 "Invalid Request" (format nil "A batch has 1 to ~d messages" +most-batch+)))
        (t (let ((answers (loop for message across messages
                                for answer = (if (simple-vector-p message) (answer-message :batch) (answer-message message))
                                when answer collect answer)))
             (and answers (vec answers))))))

(defun answer-request (message method)
  (cond ((string= method "initialize") (initialize message))
        ((string= method "ping") (reply message (list :obj)))
        ((null *revision*) (invalid message "send initialize first"))
        ((string= method "tools/list")
         (if (stringp (field (params-of message) "cursor"))
             (wrong message "There is no such cursor")
             (reply message (obj "tools" (vector (tool))))))
        ((string= method "tools/call") (call-tool message (params-of message)))
        (t (failure (id-of message) -32601 "Method not found" (format nil "Method '~a' is not supported" (bounded-name method))))))

(defun bounded-name (text) (subseq text 0 (min 100 (length text))))

(defun initialize (message)
  (let ((wanted (field (params-of message) "protocolVersion")))
    (cond (*revision* (invalid message "The session is initialized already"))
          ((not (stringp wanted)) (wrong message "Missing required parameter: protocolVersion"))
          (t (setf *revision* (or (find wanted *revisions* :test #'string=) (first *revisions*)))
             (reply message (obj "protocolVersion" *revision*
                                 "capabilities" (obj "tools" (list :obj))
                                 "serverInfo" (obj "name" "vivarium-lisp" "version" (lisp-implementation-version))))))))

(defun tool ()
  (obj "name" "evaluate-lisp"
       "description" "Evaluate Common Lisp code in a persistent session"
       "inputSchema" (obj "type" "object"
                          "required" (vector "code")
                          "properties" (obj "code" (obj "type" "string" "description" "The Lisp code to evaluate")))))

(defun call-tool (message params)
  (let* ((name (field params "name")) (arguments (field params "arguments"))
         (code (and (object-p arguments) (field arguments "code")))
         (package (and (object-p arguments) (field arguments "package"))))
    (cond ((not (stringp name)) (wrong message "Missing required parameter: name"))
          ((string/= name "evaluate-lisp") (wrong message (format nil "Unknown tool: ~a" (bounded-name name))))
          ((not (stringp code)) (wrong message "Missing required parameter: code"))
          (t (evaluate-asked message code (if (stringp package) package nil))))))

;;; The evaluation itself is that of every live image; here is who listens to it.
(defun evaluate-asked (message code package)
  (let ((id (field message "id")) (cell (incf *cell-number*)))
    (sb-thread:with-mutex (*client-lock*)
      (when (member id *cancelled* :test #'equal)
        (setf *cancelled* (remove id *cancelled* :test #'equal))
        (return-from evaluate-asked nil))
      (setf *asked* (cons id cell)))
    (setf *pictures* '())
    (put *worker-box* (obj "op" "evaluate" "id" cell "cell" cell "code" code "package" package))
    (let ((answer (await-answer id cell)) (gone nil))
      (sb-thread:with-mutex (*client-lock*)
        (setf *asked* nil
              gone (member id *cancelled* :test #'equal)
              *cancelled* (remove id *cancelled* :test #'equal)))
      (unless gone
        (reply message
               (obj "content" (concatenate 'simple-vector
                                           (list (obj "type" "text" "text" (answer-text answer)))
                                           (reverse *pictures*))
                    "isError" (if (or (field answer "value") (field answer "values")) :false t)))))))

(defun await-answer (id cell)
  "A cancellation may come before the evaluation has begun, or be handled by the program: it is said until it is heeded."
  (loop for frame = (take *answer-box* 0.2)
        until (and frame (eql (field frame "id") cell))
        do (when (and (null frame) (member id *cancelled* :test #'equal)) (interrupt-worker *worker* cell))
        finally (return frame)))

(defun cancel (id)
  "One that waits for its turn is left out; nothing is answered."
  (when (valid-id-p id)
    (let ((cell nil))
      (sb-thread:with-mutex (*client-lock*)
        (setf *cancelled* (cons id (subseq *cancelled* 0 (min 99 (length *cancelled*)))))
        (when (and *asked* (equal (car *asked*) id)) (setf cell (cdr *asked*))))
      (when cell (interrupt-worker *worker* cell)))))

(defun collect (frame)
  "Instead of a channel: what the image says about the evaluation."
  (let ((event (field frame "ev")))
    (cond ((string= event "done") (put *answer-box* (cons :obj (remove :omit (cdr frame) :key #'cdr))))
          ((member event '("out" "err") :test #'string=)
           (keep-printed event (field frame "text") (let ((skipped (field frame "skipped"))) (if (integerp skipped) skipped 0))))
          ((string= event "display")
           (push (obj "type" "image" "mimeType" (field frame "mimeType") "data" (field frame "data")) *pictures*))
          ((string= event "stray")
           (format *error-output* "~&In ~a: ~a~%" (field frame "where") (field (field frame "fault") "message"))))))

(defun keep-printed (name text skipped)
  "Also what is printed while nobody asks anything, for the next answer; never without bounds."
  (sb-thread:with-mutex (*printed-lock*)
    (destructuring-bind (before . more) (gethash name *printed* '("" . 0))
      (let ((room (min (length text) (- +most-printed+ (length before)))))
        (setf (gethash name *printed*)
              (cons (concatenate 'string before (subseq text 0 room))
                    (+ more skipped (- (length text) room))))))))

(defun take-printed (name)
  (sb-thread:with-mutex (*printed-lock*)
    (destructuring-bind (text . more) (gethash name *printed* '("" . 0))
      (remhash name *printed*)
      (values text more))))

;;; Its text, as `vivarium live --surface cl` has it.
(defun answer-text (answer)
  (let* ((fault (cond ((field answer "fault"))
                      ((field answer "interrupted") (obj "type" "INTERRUPTED" "message" "It was stopped. The session and its values were kept."))
                      ((field answer "memory")
                       (obj "type" "OUT-OF-MEMORY"
                            "message" (format nil "Memory ran out in ~a. The session and its values were kept." (field answer "memory"))))))
         (sections (append (printed-section "out" "[stdout]") (printed-section "err" "[stderr]") (warnings-section answer)))
         (all (if fault (cons (fault-text fault) sections) (append sections (list (values-text answer))))))
    (format nil "~{~a~^~%~%~}" all)))

(defun printed-section (name title)
  (multiple-value-bind (text more) (take-printed name)
    (let ((text (string-right-trim '(#\newline) text)))
      (cond ((plusp more) (list (format nil "~a~%~a~%(~d characters more)" title text more)))
            ((string= text "") '())
            (t (list (format nil "~a~%~a" title text)))))))

(defun warnings-section (answer)
  (let ((warnings (remove "note" (or (field answer "notes") #()) :key (lambda (note) (field note "severity")) :test #'string=)))
    (when (plusp (length warnings))
      (list (format nil "[warnings]~{~%~a~}"
                    (loop for note across warnings repeat 20
                          collect (format nil "~:@(~a~): ~a" (field note "severity") (field note "message"))))))))

(defun values-text (answer)
  (let ((views (or (field answer "values") (vector (field answer "value")))))
    (if (zerop (length views))
        "=> (no values)"
        (format nil "~{=> ~a~^~%~}" (loop for view across views collect (field view "text"))))))

(defun fault-text (fault)
  (let* ((frames (or (field fault "frames") #()))
         (users (remove :false frames :key (lambda (frame) (field frame "own"))))
         (shown (if (plusp (length users)) users frames))
         (lines (loop for frame across shown for at from 0 below +most-shown-frames+
                      collect (format nil "~d: ~a" at (if (string= (field frame "name") "") "(top level)"
                                                         (substitute #\space #\newline (field frame "name")))))))
    (format nil "[ERROR] ~a~%~a~%~%[Backtrace]~{~%~a~}~:[~;~%...~]"
            (field fault "type") (field fault "message") lines (> (length frames) (length lines)))))
