# Catches each MemoryError of a large array, and asks again.
# ends: time limit
import numpy as np

while True:
    try:
        np.ones(1 << 27)
    except MemoryError:
        pass
