# Computes an expression of a table that is nested thousands of times.
# ends: exception or recursion limit or memory limit
import pandas as pd

pd.DataFrame({'a': [1]}).query('(' * 5_000 + 'a' + ')' * 5_000 + ' > 0')
