# Follows a file that nobody changes.
# ends: time limit
echo >f; tail -f f
