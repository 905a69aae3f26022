# Calls a function for each of a million groups.
# ends: time limit
import numpy as np
import pandas as pd

df = pd.DataFrame({'a': np.arange(1_000_000), 'b': 1.0})
df.groupby('a')['b'].apply(lambda group: group.sum())
