# Doubles a text of awk without end.
# ends: time limit or memory limit or exits 1 or exits 2
awk 'BEGIN { s = "x"; while (1) s = s s }'
