# Reads a pickled table that starts a program.
# ends: exception
import io

import pandas as pd

pd.read_pickle(io.BytesIO(b"cos\nsystem\n(S'ls'\ntR."))
