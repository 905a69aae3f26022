# Writes for ever.
# ends: time limit
yes >/dev/null
