# Has 100 000 parentheses.
# ends: time limit or memory limit or exits 1 or exits 2
eval "$(printf '(%.0s' {1..100000})"
