# Reads a compressed table that is a hundred times as large as it looks.
# ends: memory limit or exception
import gzip
import io

import pandas as pd

packed = io.BytesIO()
with gzip.GzipFile(fileobj=packed, mode='wb') as f:
    for _ in range(60):
        f.write(b'1,2,3,4\n' * 250_000)
packed.seek(0)
pd.read_csv(packed, compression='gzip')
