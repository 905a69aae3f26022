# Multiplies large matrices, in native code.
# ends: time limit
import numpy as np

a = np.random.default_rng(1).random((1400, 1400))
a @ a.T @ a
