import struct
import zlib


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


width, height = 16, 8
pixels = b''.join(b'\0' + bytes(v for x in range(width) for v in (x * 16, y * 32, 128)) for y in range(height))
data = b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>2I5B', width, height, 8, 2, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(pixels, 0)) + chunk(b'IEND', b'')
with open('x.png', 'wb') as f:
    print(f.write(data))
