# Decompresses zeros without end.
# ends: time limit
import zlib
z = zlib.compress(bytes(10**6))
while True: zlib.decompress(z)
