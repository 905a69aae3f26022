# Adds arrays that are small, with a result that is not.
# ends: memory limit or exception
import numpy as np

np.arange(100_000)[:, None] + np.arange(100_000)
