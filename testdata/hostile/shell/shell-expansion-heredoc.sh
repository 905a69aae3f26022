# Nests here-documents without end. Too deep a call fails, and what is around it goes on.
# ends: time limit or memory limit or exits 1 or exits 2 or exits 0
f() { cat <<E
$(f)
E
}; f
