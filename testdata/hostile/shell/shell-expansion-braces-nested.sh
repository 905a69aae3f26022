# Expands braces of braces.
# ends: time limit or memory limit or exits 1 or exits 2
echo {1..100}{1..100}{1..100}{1..100}
