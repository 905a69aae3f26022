# Searches by a Perl expression that goes back for ever.
# ends: time limit or memory limit or exits 1 or exits 2
printf '%s\n' $(printf %40s | tr ' ' a)b | grep -P '^(?=(a+)+$)(a|aa)+c'
