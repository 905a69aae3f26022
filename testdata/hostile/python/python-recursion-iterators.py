# Nests iterators deeper than most C stacks.
# ends: recursion limit or returns
import itertools
x = iter([])
for i in range(10**5): x = itertools.chain(x)
next(x, 5)
