# Doubles an array again and again.
# ends: memory limit or exception
import numpy as np

a = np.ones(1000)
while True:
    a = np.concatenate([a, a])
