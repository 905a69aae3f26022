# Appends to a list without end.
# ends: memory limit
x = []
while True: x.append(bytearray(10**6))
