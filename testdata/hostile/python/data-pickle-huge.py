# Reads a pickled text that says that it has a terabyte.
# ends: exception or memory limit
import io

import pandas as pd

pd.read_pickle(io.BytesIO(b'\x80\x04\x8d' + (1 << 40).to_bytes(8, 'little') + b'.'))
