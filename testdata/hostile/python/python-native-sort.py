# Sorts without an order, again and again.
# ends: time limit
import random
class A:
    def __lt__(self, other): return random.random() < 0.5
while True: sorted(A() for i in range(1000))
