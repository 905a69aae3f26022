# Looks for the eigenvalues of a large matrix, in native code.
# ends: time limit
import numpy as np

np.linalg.eigvals(np.random.default_rng(1).random((1200, 1200)))
