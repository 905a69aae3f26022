# Runs a loop for ever.
# ends: time limit
while :; do :; done
