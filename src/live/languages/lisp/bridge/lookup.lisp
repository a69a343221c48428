;;;; What a name is: its description, source, members and users.
(in-package :vivarium)

(define-op "lookup" (request)
  (let ((name (field request "name" "")) (want (field request "want" "summary")) (kind (field request "kind")))
    (if (string= want "search")
        (obj "text" (search-text name) "kind" "search")
        (let ((thing (thing-named name)))
          (cond ((null thing) (obj "kind" "none" "text" (unknown-text name)))
                ((packagep thing) (obj "kind" "package" "text" (package-text thing want)))
                (t (let ((kind (kind-of thing kind)))
                     (obj "kind" kind "text" (about thing kind want)))))))))

(defun thing-named (name)
  "A symbol that is there already, or a package; nothing is interned. What sets a place is told with its name."
  (multiple-value-bind (package symbol-name) (split-name (without-setf (string-trim " '" name)))
    (let ((home (if package (package-named package) *current-package*)))
      (or (and home
               (multiple-value-bind (symbol found) (find-symbol symbol-name home)
                 (and found (known-p symbol) symbol)))
          (and (null package) (find-anywhere symbol-name))
          (package-named (string-trim "'#:" name))))))

(defun without-setf (name)
  (let ((bare (string-left-trim "#'" name)))
    (if (and (> (length bare) 7) (string-equal "(setf " bare :end2 6) (char= (char bare (1- (length bare))) #\)))
        (string-trim " " (subseq bare 6 (1- (length bare))))
        name)))

(defun split-name (name)
  (let* ((bare (if (and (> (length name) 1) (string= "#'" name :end2 2)) (subseq name 2) name))
         (colon (position #\: bare))
         (folded (lambda (text) (if (find #\| text) (remove #\| text) (string-upcase text)))))
    (if (and colon (plusp colon))
        (values (funcall folded (subseq bare 0 colon)) (funcall folded (string-left-trim ":" (subseq bare colon))))
        (values (if (eql colon 0) "KEYWORD" nil) (funcall folded (string-left-trim ":" bare))))))

(defun known-p (symbol)
  (or (boundp symbol) (fboundp symbol) (fboundp `(setf ,symbol)) (find-class symbol nil) (documentation symbol 'variable)
      (ignore-errors (sb-introspect:find-definition-sources-by-name symbol :type))))

(defun find-anywhere (name)
  "A name without a package, where only one of the user's packages has it."
  (let ((found (remove-if-not #'known-p (remove-if #'system-symbol-p (find-all-symbols name)))))
    (and (= (length found) 1) (first found))))

(defun system-symbol-p (symbol)
  (let ((home (symbol-package symbol)))
    (or (null home) (system-package-p home))))

(defun system-package-p (package)
  (let ((name (package-name package)))
    (or (member name '("COMMON-LISP" "KEYWORD" "VIVARIUM") :test #'string=)
        (and (> (length name) 3) (member (subseq name 0 3) '("SB-" "UIO" "ASD") :test #'string=)))))

(defun unknown-text (name)
  (let ((near (mapcar #'short-symbol (first-of (matching name) 8))))
    (format nil "Nothing is known as ~a.~@[ Names with that in them: ~{~a~^, ~}.~]" name near)))

(defun kind-of (symbol wanted)
  (cond ((and (equal wanted "class") (find-class symbol nil)) "class")
        ((and (equal wanted "function") (fboundp symbol)) "function")
        ((and (find-class symbol nil) (not (fboundp symbol))) "class")
        ((macro-function symbol) (if (equal wanted "function") "function" "macro"))
        ((fboundp symbol) "function")
        ((boundp symbol) "variable")
        ((fboundp `(setf ,symbol)) "function")
        (t "type")))

(defun about (symbol kind want)
  (cond ((string= want "summary") (summary-text symbol kind))
        ((string= want "source") (source-text symbol kind))
        ((string= want "members") (members-text symbol kind))
        ((string= want "callers") (callers-text symbol))
        (t (error "There is no ~a to be had of a name" want))))

(defun summary-text (symbol kind)
  (format nil "~a ~a~@[ ~a~]~@[  (~a)~]~%~a" kind (short-symbol symbol)
          (and (fboundp symbol) (ignore-errors (brief (sb-introspect:function-lambda-list symbol))))
          (place-text symbol kind)
          (handler-case (bounded-text-of (out 6000) (let ((*print-pretty* t)) (describe symbol out)))
            (error (condition) (condition-message condition)))))

;;; Sources: what was written in a cell, or what stands in the file.
(defun definitions-of (symbol kind)
  "Each as what it is, file, line and text."
  (append (loop for (head name specializers) being the hash-keys of *sources* using (hash-value place)
                when (and (eq name symbol) (fits-p head kind))
                  collect (list* (format nil "~(~a~) ~a~@[ ~a~]" head (short-symbol name) specializers) place))
          (loop for type in (if (string= kind "class") '(:class :structure :condition) '(:function :generic-function :macro :method :variable :constant :type))
                append (loop for source in (ignore-errors (sb-introspect:find-definition-sources-by-name symbol type))
                             for found = (file-definition source)
                             when found
                               collect (cons (format nil "~(~a~) ~a" type (short-symbol symbol)) found)))))

(defun fits-p (head kind)
  (let ((of-class (member (symbol-name head) '("DEFCLASS" "DEFSTRUCT" "DEFINE-CONDITION" "DEFTYPE") :test #'string=)))
    (if (string= kind "class") of-class (not of-class))))

(defun file-definition (source)
  (let ((file (sb-introspect:definition-source-pathname source))
        (path (sb-introspect:definition-source-form-path source)))
    (when (and file (probe-file file) path)
      (ignore-errors
       (let ((text (file-text file)))
         (multiple-value-bind (form start) (nth-form text (first path))
           (declare (ignore form))
           (list (sb-ext:native-namestring (truename file))
                 (line-column text start)
                 (subseq text start (min (length text) (skip-form text start (constantly nil) nil))))))))))

(defun place-text (symbol kind)
  (let ((first (first (definitions-of symbol kind))))
    (and first (format nil "~a:~d" (short-name (second first)) (third first)))))

(defun source-text (symbol kind)
  (let ((all (remove-duplicates (definitions-of symbol kind) :test #'equal :key #'cdr :from-end t)))
    (if all
        (format nil "~{~a~^~%~%~}"
                (loop for (nil file line text) in (first-of all 10)
                      collect (format nil ";; ~a:~d~%~a" (short-name file) line text)))
        (format nil "The source of ~a is not to be had: it is part of SBCL, or was loaded without it." (short-symbol symbol)))))

;;; Members.
(defun members-text (symbol kind)
  (cond ((string= kind "class") (class-text (find-class symbol)))
        ((and (fboundp symbol) (typep (fdefinition symbol) 'generic-function))
         (format nil "~a has these methods:~{~%  ~a~}" (short-symbol symbol)
                 (mapcar #'method-text (sb-mop:generic-function-methods (fdefinition symbol)))))
        ((fboundp symbol) (format nil "~a takes ~a" (short-symbol symbol) (brief (sb-introspect:function-lambda-list symbol))))
        (t (format nil "~a is a ~a" (short-symbol symbol) kind))))

(defun class-text (class)
  (unless (sb-mop:class-finalized-p class) (ignore-errors (sb-mop:finalize-inheritance class)))
  (flet ((names (classes) (mapcar (lambda (one) (short-symbol (class-name one))) classes)))
    (format nil "class ~a~%supers: ~{~a~^ ~}~%subs: ~{~a~^ ~}~%slots:~{~%  ~a~}~%methods:~{~%  ~a~}"
            (short-symbol (class-name class))
            (names (sb-mop:class-direct-superclasses class))
            (names (sb-mop:class-direct-subclasses class))
            (mapcar #'slot-text (ignore-errors (sb-mop:class-slots class)))
            (mapcar #'method-text (first-of (ignore-errors (sb-mop:specializer-direct-methods class)) 60)))))

(defun slot-text (slot)
  (format nil "~a~@[ :initform ~a~]~@[ :type ~a~]~@[ :initargs ~a~]"
          (short-symbol (sb-mop:slot-definition-name slot))
          (ignore-errors (brief (sb-mop:slot-definition-initform slot) 60))
          (ignore-errors (let ((type (sb-mop:slot-definition-type slot))) (unless (eq type t) type)))
          (ignore-errors (sb-mop:slot-definition-initargs slot))))

(defun method-text (method)
  (format nil "~a~@[ ~{~a~^ ~}~] (~{~a~^ ~})"
          (ignore-errors (brief (sb-mop:generic-function-name (sb-mop:method-generic-function method))))
          (method-qualifiers method)
          (mapcar (lambda (one) (if (typep one 'class) (short-symbol (class-name one)) (brief one)))
                  (sb-mop:method-specializers method))))

(defun package-text (package want)
  (let ((exports '()) (own 0))
    (do-external-symbols (symbol package) (push symbol exports))
    (do-symbols (symbol package) (when (eq (symbol-package symbol) package) (incf own)))
    (format nil "package ~a~@[ (~{~a~^ ~})~]: ~d symbols of its own, ~d exported~%uses: ~{~a~^ ~}~@[~%~a~]~%exports:~{~%  ~a~}~@[~%  … ~d more~]"
            (package-name package) (package-nicknames package) own (length exports)
            (mapcar #'package-name (package-use-list package))
            (documentation package t)
            (mapcar #'mark-text (first-of (sort exports #'string< :key #'symbol-name) (if (string= want "members") 300 40)))
            (let ((left (- (length exports) (if (string= want "members") 300 40)))) (and (plusp left) left)))))

;;; Users.
(defun callers-text (symbol)
  (let ((lines (loop for (what . function) in (list (cons "called by" #'sb-introspect:who-calls)
                                                    (cons "expanded by" #'sb-introspect:who-macroexpands)
                                                    (cons "read by" #'sb-introspect:who-references)
                                                    (cons "set by" #'sb-introspect:who-sets)
                                                    (cons "bound by" #'sb-introspect:who-binds)
                                                    (cons "specialized by" #'sb-introspect:who-specializes-directly))
                     append (loop for (user . source) in (ignore-errors (funcall function symbol))
                                  collect (format nil "~a ~a~@[  (~a)~]" what (brief user) (user-place user source))))))
    (if lines
        (format nil "~a is~{~%  ~a~}" (short-symbol symbol) (first-of (remove-duplicates lines :test #'string=) 100))
        (format nil "Nothing that is compiled uses ~a." (short-symbol symbol)))))

(defun user-place (user source)
  (let ((found (or (file-definition source)
                   (and (symbolp user) (cdr (first (definitions-of user "function")))))))
    (and found (format nil "~a:~d" (short-name (first found)) (second found)))))

;;; Search and completion.
(defun matching (text)
  "The user's own first."
  (let ((all (remove-if-not #'known-p (remove-duplicates (apropos-list (string-trim " '" text))))))
    (append (remove-if #'system-symbol-p all) (remove-if-not #'system-symbol-p all))))

(defun mark-text (symbol)
  (format nil "~a~@[  function~*~]~@[  macro~*~]~@[  variable~*~]~@[  class~*~]" (short-symbol symbol)
          (and (fboundp symbol) (not (macro-function symbol)) t) (and (macro-function symbol) t)
          (and (boundp symbol) t) (and (find-class symbol nil) t)))

(defun search-text (text)
  (let* ((all (matching text)) (left (- (length all) 60)))
    (if all
        (format nil "~{~a~^~%~}~@[~%… ~d more~]" (mapcar #'mark-text (first-of all 60)) (and (plusp left) left))
        (format nil "No name has ~a in it." text))))

(define-op "complete" (request)
  (multiple-value-bind (package prefix) (split-name (field request "prefix" ""))
    (let ((home (if package (package-named package) *current-package*)) (kind (field request "kind")) (names '()))
      (flet ((take-name (symbol)
               (let ((name (symbol-name symbol)))
                 (when (and (>= (length name) (length prefix)) (string= prefix name :end2 (length prefix))
                            (cond ((equal kind "class") (find-class symbol nil))
                                  ((equal kind "function") (fboundp symbol))
                                  (t (known-p symbol))))
                   (pushnew (format nil "~@[~(~a~):~]~(~a~)" package name) names :test #'string=)))))
        (cond ((null home))
              (package (do-external-symbols (symbol home) (take-name symbol)))
              (t (do-symbols (symbol home) (take-name symbol))))
        (when (and (null package) (null kind))
          (dolist (one (list-all-packages))
            (when (and (>= (length (package-name one)) (length prefix)) (plusp (length prefix))
                       (string= prefix (package-name one) :end2 (length prefix)))
              (push (format nil "~(~a~):" (package-name one)) names)))))
      (obj "names" (vec (sort names #'string<))))))

(define-op "modules" (request)
  (obj "files" (vec (append (loop for file being the hash-keys of *loaded-files* collect (short-name file))
                            (loop for system in (loaded-systems)
                                  append (loop for component in (source-files-of system)
                                               collect (format nil "~a  (system ~a)" (short-name (asdf:component-pathname component))
                                                               (asdf:component-name system))))))))

(define-op "packages" (request)
  (obj "names" (vec (sort (mapcar #'package-name (remove-if #'system-package-p (list-all-packages))) #'string<))))

(define-op "check" (request)
  (let ((problem (unreadable (field request "code" "") "code")))
    (if problem (obj "fault" problem) (obj "text" "It can be read."))))
