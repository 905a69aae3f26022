# Lets the separator of a table be guessed whose quotes do not end.
# ends: time limit or exception or returns
import io

import pandas as pd

len(pd.read_csv(io.StringIO('"a\n' * 200_000), sep=None, engine='python'))
