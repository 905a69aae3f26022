# Sums an endless iterator, in C code.
# ends: time limit
sum(iter(int, 1))
