# Catches each error of a function that a group is given to, and goes on.
# ends: time limit
import pandas as pd


def fails(group):
    while True:
        try:
            raise MemoryError
        except BaseException:
            pass


pd.DataFrame({'a': [1, 2], 'b': [3, 4]}).groupby('a')['b'].apply(fails)
