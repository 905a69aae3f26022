# Takes a matrix with two million numbers apart, in native code.
# ends: time limit
import numpy as np

np.linalg.svd(np.random.default_rng(1).random((1500, 1500)))
