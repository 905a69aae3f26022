# Expands braces to a thousand million words.
# ends: time limit or memory limit or exits 1 or exits 2
echo {1..1000000000}
