# Loops without doing anything.
# ends: time limit
while True: pass
