# Prints a number that is a thousand million characters wide.
# ends: time limit or memory limit or exits 1 or exits 2
x=$(printf '%1000000000d' 1); printf -v y '%1000000000d' 1
