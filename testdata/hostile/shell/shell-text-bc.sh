# Computes a number with too many digits.
# ends: time limit or memory limit or exits 1 or exits 2 or exits 0
echo '9^9^9' | bc | wc -c
