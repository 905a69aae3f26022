# Prints without end.
# ends: time limit
while True: print('a line of the flood')
