# Joins two tables by a key that all rows have, to ten billion rows.
# ends: memory limit or exception
import pandas as pd

one = pd.DataFrame({'a': [1] * 100_000, 'b': range(100_000)})
one.merge(one, on='a')
