;;;; Before the core is written: what SBCL works out only when something is first done is worked out once, and kept in the core.
(in-package :vivarium)

(defun rehearse ()
  "Nothing of it is left but what is faster: every variable it would set is bound, and every name it reads is there."
  (let ((*send* (lambda (frame) (with-output-to-string (out) (write-json frame out))))
        (*refs* (make-array +most-refs+ :initial-element nil))
        (*ref-numbers* (make-hash-table :test #'eq :synchronized t))
        (*newest-ref* 0) (*last-error* nil) (*cell* nil) (*places* (make-hash-table :test #'eq :synchronized t))
        (*out* (make-instance 'tap :name "out")) (*err* (make-instance 'tap :name "err"))
        (* nil) (** nil) (*** nil) (/ nil) (// nil) (/// nil) (+ nil) (++ nil) (+++ nil) (- nil))
    (name-last-values)
    (dolist (code '("1" "(print (list \"a\" :b 2.5d0 #\\c))" "(let ((list 1)) (lambda (count) (+ list count)))" "(car 1)" "(error \"so\")" "(values 1 2)"))
      (evaluate-cell (read-json (with-output-to-string (out) (write-json (obj "id" 1 "op" "evaluate" "cell" 0 "code" code) out)))))))

(rehearse)
