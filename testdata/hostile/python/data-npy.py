# Loads an array whose header is nested a hundred thousand times.
# ends: exception or recursion limit or memory limit
import io

import numpy as np

header = b'(' * 50_000
np.load(io.BytesIO(b'\x93NUMPY\x02\x00' + len(header).to_bytes(4, 'little') + header))
