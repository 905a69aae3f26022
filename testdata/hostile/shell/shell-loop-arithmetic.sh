# Counts for ever.
# ends: time limit
for ((;;)); do ((i++)); done
