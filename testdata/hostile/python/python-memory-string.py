# Doubles a string without end.
# ends: memory limit
x = 'x'
while True: x += x
