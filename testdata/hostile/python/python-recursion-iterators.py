# Nests iterators deeper than the C stack.
# ends: recursion limit
import itertools
x = iter([])
for i in range(10**5): x = itertools.chain(x)
next(x, 5)
