# Decodes an image of 3,600 million pixels in some kilobytes.
# ends: memory limit or exception or time limit
import io
import struct
import zlib

from PIL import Image


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


Image.MAX_IMAGE_PIXELS = None
packed = (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 60_000, 60_000, 8, 2, 0, 0, 0))
          + chunk(b'IDAT', zlib.compress(bytes(10**6))) + chunk(b'IEND', b''))
Image.open(io.BytesIO(packed)).load()
