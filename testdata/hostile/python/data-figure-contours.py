# Computes a thousand contours of noise.
# ends: time limit or memory limit or exception
import matplotlib.pyplot as plt
import numpy as np

while True:
    plt.contour(np.random.rand(1000, 1000), levels=1000)
