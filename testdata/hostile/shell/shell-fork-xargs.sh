# Runs 100 commands at once for 1 000 lines.
# ends: time limit or memory limit or exits 1 or exits 2 or exits 123
yes | head -1000 | xargs -P 100 -n 1 sleep
