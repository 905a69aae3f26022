# Matches texts of a Series with a regular expression that takes exponential time.
# ends: time limit
import pandas as pd

pd.Series(['a' * 50 + 'b'] * 3).str.match('(a+)+$')
