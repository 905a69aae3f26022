# Goes on when it gets no memory.
# ends: time limit or memory limit
x = []
while True:
    try:
        while True: x.append(bytearray(10**6))
    except MemoryError: pass
