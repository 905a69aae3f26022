# Matches a pattern that goes back for ever.
# ends: time limit or memory limit or exits 1
shopt -s extglob; x=$(printf %60s | tr ' ' a); [[ $x == +(+(a|aa)|a)b ]]
