# Doubles a here-document without end.
# ends: time limit or memory limit or exits 1 or exits 2
x=aaaaaaaa; while :; do x=$(cat <<E
$x$x
E
); done
