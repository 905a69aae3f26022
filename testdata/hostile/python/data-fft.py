# Transforms a signal whose length is a large prime number, again and again.
# ends: time limit
import numpy as np

while True:
    np.fft.fft(np.ones(1_000_003))
