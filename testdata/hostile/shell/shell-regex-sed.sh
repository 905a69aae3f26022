# Replaces by an expression with back-references that goes back for ever.
# ends: time limit or memory limit or exits 0 or exits 1 or exits 2
printf '%s\n' $(printf %60s | tr ' ' a)b | sed -E 's/(((a*)*)*)\1\2c/x/'
