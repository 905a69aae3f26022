# Unpacks a file that is a thousand times as long.
# ends: time limit or memory limit or exits 1 or exits 2
head -c 30M /dev/zero | tr '\0' a | gzip >z; for i in {1..50}; do cat z; done >y; x=$(zcat y)
