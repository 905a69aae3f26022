# Reads what nobody writes.
# ends: time limit
coproc { sleep 1000; }; read x <&${COPROC[0]}
