# Reads a table from a zip of one megabyte that has a gigabyte.
# ends: memory limit or exception
import io
import zipfile

import pandas as pd

packed = io.BytesIO()
with zipfile.ZipFile(packed, 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as z:
    with z.open('a.csv', 'w') as f:
        for _ in range(300):
            f.write(bytes(1 << 20))
packed.seek(0)
pd.read_csv(packed, compression='zip', header=None)
