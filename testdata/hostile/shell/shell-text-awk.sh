# Loops in awk for ever.
# ends: time limit
awk 'BEGIN { while (1) n++ }'
