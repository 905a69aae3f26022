# Begins 10 000 jobs in the background, and waits for them.
# ends: time limit or memory limit or exits 1 or exits 2
for i in {1..10000}; do sleep 1000 & done; wait
