# Searches by an expression that repeats repetitions.
# ends: time limit or memory limit or exits 1 or exits 2
echo a | grep -E '((((a{1,200}){1,200}){1,200}){1,200})b'
