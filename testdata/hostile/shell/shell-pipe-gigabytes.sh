# Sends 100 GB through a pipe.
# ends: time limit
head -c 100G /dev/zero | cat >/dev/null
