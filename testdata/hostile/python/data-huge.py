# Asks for an array of a million times a million numbers.
# ends: exception or memory limit
import numpy as np

np.zeros((1 << 20, 1 << 20))
