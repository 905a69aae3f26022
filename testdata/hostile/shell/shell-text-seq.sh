# Counts to 10**15.
# ends: time limit
seq 1000000000000000 | tail -1
