# Copies a directory into itself.
# ends: time limit or memory limit or exits 1 or exits 2
mkdir a; echo x >a/x; while :; do cp -r a b; mv b a/$((i++)); done
