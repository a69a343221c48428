;;;; Looking into values. Nothing is changed by it: an expression is understood only as far as it merely reads.
(in-package :vivarium)

(defconstant +page+ 50)

(define-op "inspect" (request)
  (let ((value (target-of (field request "target"))))
    (loop for key across (or (field request "path") #()) do (setf value (step-into value key)))
    (obj "view" (members-view value (field request "offset" 0)))))

(define-op "refs" (request) (obj "newest" *newest-ref*))

(defun target-of (target)
  (if (integerp target) (value target) (peek (let ((*read-eval* nil) (*reading* t)) (read-from-string target)))))

(defun members-view (value offset)
  (multiple-value-bind (total member-at) (members-of value)
    (let ((shown (loop for index from offset below (min total (+ offset +page+))
                       collect (multiple-value-bind (key member) (funcall member-at index)
                                 (obj "key" key "text" (brief member) "ref" (or (ref-of member) :omit))))))
      (multiple-value-bind (text cut) (show value :most 1000 :length 20)
        (obj "text" text "type" (type-name value) "ref" (or (ref-of value) :omit) "cut" (or cut :omit)
             "members" (vec shown) "offset" offset "total" total)))))

(defun step-into (value key)
  (multiple-value-bind (total member-at) (members-of value)
    (loop for index below (min total 100000)
          do (multiple-value-bind (name member) (funcall member-at index)
               (when (string-equal name key) (return member)))
          finally (error "There is no ~a in ~a" key (brief value)))))

(defun members-of (value)
  "How many there are, and what gives the key and the member at an index."
  (typecase value
    (string (values (length value) (lambda (index) (values (princ-to-string index) (char value index)))))
    (array (values (array-total-size value)
                   (lambda (index) (values (princ-to-string index) (row-major-aref value index)))))
    (cons (list-members value))
    (hash-table (pairs-members (let ((pairs '()))
                                 (maphash (lambda (key member) (push (cons (brief key) member) pairs)) value)
                                 (nreverse pairs))))
    (package (pairs-members (list (cons "name" (package-name value))
                                  (cons "nicknames" (package-nicknames value))
                                  (cons "uses" (mapcar #'package-name (package-use-list value)))
                                  (cons "exports" (let ((all '())) (do-external-symbols (symbol value all) (push symbol all)))))))
    (symbol (pairs-members (append (list (cons "name" (symbol-name value))
                                         (cons "package" (symbol-package value)))
                                   (when (boundp value) (list (cons "value" (symbol-value value))))
                                   (when (fboundp value) (list (cons "function" (fdefinition value))))
                                   (when (find-class value nil) (list (cons "class" (find-class value))))
                                   (when (symbol-plist value) (list (cons "plist" (symbol-plist value)))))))
    (function (pairs-members (list (cons "name" (sb-kernel:%fun-name value))
                                   (cons "arguments" (ignore-errors (sb-introspect:function-lambda-list value)))
                                   (cons "type" (ignore-errors (sb-introspect:function-type value)))
                                   (cons "documentation" (documentation value t)))))
    ((or standard-object structure-object condition) (slot-members value))
    (complex (pairs-members (list (cons "real" (realpart value)) (cons "imaginary" (imagpart value)))))
    (ratio (pairs-members (list (cons "numerator" (numerator value)) (cons "denominator" (denominator value)))))
    (t (values 0 #'identity))))

(defun pairs-members (pairs)
  (let ((all (vec pairs)))
    (values (length all) (lambda (index) (values (car (aref all index)) (cdr (aref all index)))))))

(defun slot-members (value)
  "Slots as they are: no reader is called."
  (pairs-members
   (loop for slot in (sb-mop:class-slots (class-of value))
         for name = (sb-mop:slot-definition-name slot)
         collect (cons (string-downcase (symbol-name name))
                       (if (slot-boundp value name) (slot-value value name) '|(unbound)|)))))

(defun list-members (list)
  "A list may have no end, or end in something else."
  (let ((seen (make-hash-table :test #'eq)) (all '()))
    (loop for rest = list then (cdr rest)
          for index from 0
          while (and (consp rest) (< index 100000))
          do (when (gethash rest seen)
               (push (cons "(circle)" rest) all)
               (return))
             (setf (gethash rest seen) t)
             (push (cons (princ-to-string index) (car rest)) all)
          finally (when (and rest (atom rest)) (push (cons "(tail)" rest) all)))
    (pairs-members (nreverse all))))

;;; Expressions that only read.
(defparameter *reading-functions*
  '(car cdr first second third fourth fifth sixth seventh eighth ninth tenth rest last caar cadr cdar cddr caddr cdddr nth nthcdr elt
    aref svref row-major-aref char schar bit gethash getf get assoc rassoc member find position count length list-length subseq reverse
    list list* cons vector append copy-list butlast slot-value slot-boundp class-of type-of class-name find-class find-package
    find-symbol symbol-value symbol-function symbol-package symbol-name symbol-plist fdefinition macro-function documentation
    package-name package-use-list package-nicknames hash-table-count hash-table-size hash-table-test array-dimensions array-dimension
    array-rank array-total-size fill-pointer pathname-name pathname-type pathname-directory namestring numerator denominator realpart
    imagpart = /= < > <= >= + - * / 1+ 1- min max mod rem floor ceiling truncate round abs eq eql equal equalp not null atom consp
    listp symbolp numberp integerp stringp functionp boundp fboundp typep string= string-equal string-upcase string-downcase values
    identity value))

(defun peek (form)
  (cond ((and (symbolp form) (or (keywordp form) (null form) (eq form t))) form)
        ((symbolp form)
         (cond ((eq form (find-symbol "_" (user-package))) *)
               ((eq form (find-symbol "_ERR" (user-package))) *last-error*)
               ((boundp form) (symbol-value form))
               ((fboundp form) (fdefinition form))
               ((find-class form nil) (find-class form))
               (t (error "~a has no value" (short-symbol form)))))
        ((atom form) form)
        ((eq (car form) 'quote) (second form))
        ((eq (car form) 'function) (reading-function (second form)) (fdefinition (second form)))
        (t (reading-function (car form))
           (let ((arguments (mapcar #'peek (cdr form))))
             (check-callees (car form) arguments)
             (apply (car form) arguments)))))

(defun check-callees (name arguments)
  "What a reading function is given to call must merely read as well."
  (case name
    ((find position count member assoc rassoc)
     (loop for (key given) on (cddr arguments) by #'cddr
           when (and given (member key '(:key :test :test-not))) do (reading-designator given)))
    (typep
     (unless (or (typep (second arguments) 'class) (symbolp (second arguments)))
       (reading-function (second arguments))))))

(defun reading-designator (given)
  (let ((name (if (functionp given) (sb-kernel:%fun-name given) given)))
    (reading-function name)
    (unless (or (symbolp given) (eq given (fdefinition name)))
      (error "inspect changes nothing, and does not know what ~a does" (brief given)))))

(defun reading-function (name)
  (unless (and (symbolp name) (or (member name *reading-functions*) (accessor-p name)))
    (error "inspect changes nothing, so it calls only what merely reads, and ~a may do more: evaluate it, then inspect its #number"
           (brief name))))

(defun accessor-p (name)
  "Of slots: of a structure, or of classes and nothing else."
  (and (fboundp name)
       (or (ignore-errors (sb-kernel::structure-instance-accessor-p name))
           (let ((function (fdefinition name)))
             (and (typep function 'standard-generic-function)
                  (sb-mop:generic-function-methods function)
                  (every (lambda (method) (typep method 'sb-mop:standard-reader-method))
                         (sb-mop:generic-function-methods function)))))))
