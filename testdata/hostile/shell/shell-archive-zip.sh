# Unpacks a zip file that is a thousand times as long.
# ends: time limit or memory limit or exits 1 or exits 2
head -c 30M /dev/zero >f; zip -q z.zip f; while :; do x=$x$(unzip -p z.zip | tr '\0' a); done
