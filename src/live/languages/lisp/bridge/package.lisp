;;;; The bridge between a live server and an image of SBCL. It needs nothing but SBCL and its contribs.
(require :sb-introspect)
(require :sb-posix)
(require :sb-sprof)
(require :asdf)

(defpackage :vivarium
  (:use :cl)
  (:documentation "What a program in a live image may use itself.")
  (:export #:display #:load-file #:value #:*last-error*))

(in-package :vivarium)

(declaim (optimize (speed 1) (safety 1) (debug 1)))

(defun own-p (path &key closed)
  "Whether it is this user's own, and no link; with CLOSED also whether nobody else can write to it."
  (let ((found (ignore-errors (sb-posix:lstat path))))
    (and found
         (= (sb-posix:stat-uid found) (sb-posix:geteuid))
         (/= (logand (sb-posix:stat-mode found) #o170000) #o120000)
         (or (not closed) (zerop (logand (sb-posix:stat-mode found) #o022))))))

(defvar *last-error* nil "The last condition that ended an evaluation; _err in CL-USER.")
