# Sleeps for long.
# ends: time limit
sleep 1000
