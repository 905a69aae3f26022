# Fills an associative array without end.
# ends: time limit or memory limit or exits 1 or exits 2
declare -A m; while :; do ((i++)); m[$i]=$i; done
