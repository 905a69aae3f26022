# Calls a function for each of millions of numbers.
# ends: time limit
import numpy as np

np.vectorize(lambda x: sum(range(100)))(np.arange(4_000_000))
