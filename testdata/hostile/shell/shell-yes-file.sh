# Writes a file without end, as fast as it can.
# ends: time limit or memory limit or exits 1 or exits 2
yes >f
