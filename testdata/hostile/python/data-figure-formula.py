# Parses a formula with five thousand roots in each other.
# ends: exception or time limit or memory limit
import matplotlib.pyplot as plt

plt.title('$' + r'\sqrt{' * 5000 + '}' * 5000 + '$')
plt.savefig('/a.png')
