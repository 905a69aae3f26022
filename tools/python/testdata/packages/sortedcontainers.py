# Debian: python3-sortedcontainers
import random

from sortedcontainers import SortedDict, SortedKeyList, SortedList, SortedSet

random.seed(7)
numbers = [random.randrange(1000) for _ in range(3000)]
found = SortedList(numbers)
assert list(found) == sorted(numbers)
print(found[0], found[-1], found.bisect(500), found.count(7), list(found.irange(10, 14)))
for n in numbers[:1500]:
    found.remove(n)
print(len(found), found[:5], SortedSet('mississippi'), SortedSet([3, 1]) | {2})
d = SortedDict({'b': 2, 'a': 1, 'd': 4})
d['c'] = 3
print(d, d.peekitem(0), list(d.irange('b', 'c')), d.popitem(), SortedKeyList(['aaa', 'b', 'cc'], key=len))
