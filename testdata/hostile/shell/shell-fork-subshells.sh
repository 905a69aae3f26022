# Nests subshells without end.
# ends: time limit or memory limit or exits 1 or exits 2
f() { (f); }; f
