# Sorts millions of numbers again and again, in native code.
# ends: time limit
import numpy as np

while True:
    np.sort(np.random.default_rng(1).random(5_000_000))
