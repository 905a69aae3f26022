# Packs an archive into itself.
# ends: time limit or memory limit or exits 1 or exits 2
while :; do tar cf b.tar . ; tar cf a.tar .; done
