# Replaces each letter of a variable with all of it.
# ends: time limit or memory limit or exits 1 or exits 2
x=aaaaaaaa; while :; do x=${x//a/$x}; done
