# Turns around what does not end.
# ends: time limit or memory limit or exits 1 or exits 2
yes | tac
