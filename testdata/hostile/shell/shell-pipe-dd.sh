# Wants a block of 100 GB.
# ends: time limit or memory limit or exits 0
dd if=/dev/zero bs=100G count=1 | wc -c
