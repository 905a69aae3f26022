# Saves a figure of 10**12 pixels.
# ends: exception or memory limit or time limit
import matplotlib.pyplot as plt

plt.figure(figsize=(1000, 1000), dpi=1000)
plt.plot([1, 2])
plt.savefig('/a.png')
