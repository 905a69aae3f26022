# Keeps an endless output in a variable.
# ends: time limit or memory limit or exits 1 or exits 2
x=$(yes)
