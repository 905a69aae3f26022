# Writes out all of a long table.
# ends: time limit
import numpy as np
import pandas as pd

pd.DataFrame({'a': np.arange(1_000_000), 'b': 1.5}).to_string()
