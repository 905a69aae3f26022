# Copies a large array for ever, and never leaves native code for long.
# ends: time limit
import numpy as np

a = np.ones(4_000_000)
b = np.empty_like(a)
while True:
    np.copyto(b, a)
