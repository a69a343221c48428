// A small system with tests, as people write them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const files: Readonly<Record<string, string>> = {
  'shop.asd': `(defsystem "shop"
  :components ((:module "src" :components ((:file "package") (:file "cart" :depends-on ("package")))))
  :in-order-to ((test-op (test-op "shop/tests"))))
(defsystem "shop/tests"
  :depends-on ("shop" "fiveam")
  :components ((:file "tests"))
  :perform (test-op (o c) (uiop:symbol-call :fiveam :run! (uiop:find-symbol* :shop-suite :shop-tests))))
`,
  'src/package.lisp': '(defpackage :shop (:use :cl) (:export #:cart #:total #:add #:*added*))\n',
  'src/cart.lisp': `(in-package :shop)

(defvar *added* 0 "How many things were ever added.")

(defclass cart ()
  ((items :initform '() :accessor items)))

(defun add (cart name price)
  "Puts a thing into the cart."
  (incf *added*)
  (push (cons name price) (items cart))
  cart)

(defun total (cart)
  (let ((sum 0))
    (dolist (item (items cart) sum)
      (incf sum (cdr item)))))
`,
  'tests.lisp': `(defpackage :shop-tests (:use :cl :fiveam :shop))
(in-package :shop-tests)
(def-suite shop-suite)
(in-suite shop-suite)

(test an-empty-cart
  (is (= 0 (total (make-instance 'cart)))))

(test one-fern
  (is (= 5 (total (add (make-instance 'cart) "fern" 4)))))

(test one-day
  (skip "not yet"))
`,
};

export function writeShop(folder: string): void {
  mkdirSync(join(folder, 'src'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

export function editCart(folder: string, from: string, to: string): void {
  const text = files['src/cart.lisp'] as string;
  if (!text.includes(from)) throw new Error(`There is no ${from}`);
  writeFileSync(join(folder, 'src/cart.lisp'), text.replace(from, to));
}
