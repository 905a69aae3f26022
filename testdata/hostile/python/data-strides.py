# Reads memory outside of an array, by strides of its own.
# ends: exception or crash or returns
import numpy as np

a = np.lib.stride_tricks.as_strided(np.zeros(1), shape=(1 << 28,), strides=(4096,))
int(a[-1]) if a.sum() else 0
