# Computes a number with 100 million digits.
# ends: time limit
10**10**8
