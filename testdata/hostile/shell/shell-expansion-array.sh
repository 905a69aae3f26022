# Doubles an array without end.
# ends: time limit or memory limit or exits 1 or exits 2
while :; do a+=(${a[@]} 1); done
