;;;; This image as a server of the Model Context Protocol on its own stdin and stdout, without anything else.
(in-package :vivarium)

(export 'serve)

(defconstant +longest-message+ 16777216 "In characters.")
(defconstant +farewell-seconds+ 30 "So long what runs is waited for once the client has gone.")

(defvar *message-box* (make-box) "Messages that wait for their turn.")
(defvar *client-fd* nil)
(defvar *client-lock* (sb-thread:make-mutex :name "client"))

(defun serve ()
  "Answers the client that started this image, one request after another, until it goes; then the image ends."
  (disconnect)
  (let ((in (take-over-stdio)))
    (setf sb-ext:*invoke-debugger-hook* #'stray-debugger
          *attended* t
          *send* #'collect
          *folder* (or *folder* (folder-named (sb-posix:getcwd))))
    (pushnew 'system-in-project asdf:*system-definition-search-functions*)
    (ignore-errors (name-last-values))
    (ensure-threads)
    (put *clerk-box* nil)
    (let ((answerer (sb-thread:make-thread #'answer-in-turn :name "answers")))
      (loop for line = (next-line in) while line do (receive line))
      (put *message-box* :end)
      (sb-thread:join-thread answerer :default nil :timeout +farewell-seconds+)
      (sb-ext:exit :code 0 :timeout 1))))

(defun take-over-stdio ()
  "What else writes to stdout is shown on stderr: on stdout there are messages and nothing else. Nobody else reads stdin."
  (finish-output)
  (let ((in (sb-posix:dup 0)) (nothing (sb-posix:open "/dev/null" sb-posix:o-rdonly)))
    (setf *client-fd* (sb-posix:dup 1))
    ;; A child would hold the client's pipes open.
    (dolist (fd (list in *client-fd*)) (sb-posix:fcntl fd sb-posix:f-setfd 1))
    (sb-posix:dup2 nothing 0)
    (sb-posix:dup2 2 1)
    (sb-posix:close nothing)
    (sb-sys:make-fd-stream in :input t :buffering :full :external-format '(:utf-8 :replacement #\ufffd))))

(defun next-line (in)
  "Nothing at the end; :long for one that is too long."
  (let ((line (make-string-output-stream)) (length 0))
    (loop
      (let ((char (read-char in nil nil)))
        (cond ((null char) (return (if (plusp length) (line-or-long line length) nil)))
              ((char= char #\newline) (return (line-or-long line length)))
              ((<= (incf length) +longest-message+) (write-char char line)))))))

(defun line-or-long (line length)
  (if (> length +longest-message+) :long (get-output-stream-string line)))

(defun tell-client (message)
  (let ((bytes (sb-ext:string-to-octets (with-output-to-string (out) (write-json message out) (write-char #\newline out))
                                        :external-format :utf-8)))
    (sb-sys:without-interrupts
      (sb-thread:with-mutex (*client-lock*) (write-octets *client-fd* bytes)))))

(defun receive (line)
  "A ping and a cancellation are not kept waiting; everything else waits for its turn."
  (unless (and (stringp line) (string= "" (string-trim '(#\space #\tab #\return) line)))
    (let ((message (if (stringp line)
                       (let ((*exact* t)) (handler-case (read-json line) (error () :bad)))
                       :long)))
      (cond ((and (object-p message) (equal (field message "method") "ping") (valid-id-p (field message "id" :none))
                  (equal (field message "jsonrpc") "2.0"))
             (tell-client (reply message (list :obj))))
            ((and (object-p message) (equal (field message "method") "notifications/cancelled"))
             (cancel (field (params-of message) "requestId")))
            (t (put *message-box* message))))))

(defun answer-in-turn ()
  (loop for message = (take *message-box*)
        until (eq message :end)
        do (let ((answer (handler-case (answer-message message)
                           (serious-condition (condition)
                             (failure (id-of message) -32603 "Internal error" (condition-message condition))))))
             (when answer (tell-client answer)))))
