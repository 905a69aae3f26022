# Refers to a variable that refers to itself.
# ends: time limit or memory limit or exits 1 or exits 2
x='x+x'; echo $((x))
