# Matches a pattern of 1 000 stars.
# ends: time limit or memory limit or exits 1
x=$(printf %5000s | tr ' ' a); p=$(printf '*a%.0s' {1..1000}); [[ $x == ${p}b ]]
