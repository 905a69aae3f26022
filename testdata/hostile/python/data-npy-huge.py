# Loads an array that says that it has a billion numbers.
# ends: exception or memory limit
import io

import numpy as np

header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000,), }\n"
np.load(io.BytesIO(b'\x93NUMPY\x01\x00' + len(header).to_bytes(2, 'little') + header))
