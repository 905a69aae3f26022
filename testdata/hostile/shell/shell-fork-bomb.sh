# Forks for ever.
# ends: time limit or memory limit or exits 1 or exits 2
:() { : | : & }; :
