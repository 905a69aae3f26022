# Prints for ever.
# ends: time limit
yes
