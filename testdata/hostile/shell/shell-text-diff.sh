# Compares two files without a common line.
# ends: time limit or memory limit or exits 1 or exits 2 or exits 0
seq 1 2 400000 >a; seq 2 2 400000 >b; diff a b | wc -l
