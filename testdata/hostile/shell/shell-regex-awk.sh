# Matches an expression that is long without end.
# ends: time limit or memory limit or exits 1 or exits 2
awk 'BEGIN { r = "a*"; while (1) { r = "(" r r ")*"; if ("aaaaaaaaaaaaaaaab" ~ r "c") print } }'
