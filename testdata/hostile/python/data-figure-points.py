# Draws a line through random points again and again.
# ends: time limit or memory limit or exception
import matplotlib.pyplot as plt
import numpy as np

while True:
    plt.plot(np.random.rand(200_000))
    plt.gcf().canvas.draw()
