# Sends 100 GB through ten commands.
# ends: time limit
yes | head -c 100G | cat | tr y z | sed s/z/a/ | grep a | cut -c1 | uniq -c | wc -l | cat
