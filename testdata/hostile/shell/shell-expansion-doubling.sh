# Doubles a variable without end.
# ends: time limit or memory limit or exits 1 or exits 2
x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done
