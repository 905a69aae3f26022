# Calls a function for each window of a long Series.
# ends: time limit
import numpy as np
import pandas as pd

pd.Series(np.arange(2_000_000.0)).rolling(50).apply(lambda window: window.sum())
