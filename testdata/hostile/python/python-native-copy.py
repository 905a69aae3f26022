# Copies many megabytes, in one call of the interpreter's each.
# ends: time limit or memory limit
data = bytearray(8 << 20)
while True:
    data[:] = data[1:] + b'x'
