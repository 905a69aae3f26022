# Makes an index of all minutes of a thousand years.
# ends: memory limit or exception
import pandas as pd

pd.date_range('1700-01-01', '2200-01-01', freq='s')
