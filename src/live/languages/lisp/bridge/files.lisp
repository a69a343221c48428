;;;; What the bridge is made of, in the order it is loaded.
(defparameter cl-user::*vivarium-files*
  '("package" "json" "wire" "output" "values" "positions" "places" "frames" "evaluate" "debugger" "main" "project"
    "inspect" "lookup" "measuring" "image" "tests"))
