# Debian: python3-deepdiff python3-ordered-set; modules: !numpy
from deepdiff import DeepDiff, DeepSearch, grep

old = {'a': 1, 'b': [1, 2, 3], 'c': {'d': 'x', 'e': {1, 2}}}
new = {'a': 1.0, 'b': [1, 3, 4, 5], 'c': {'d': 'y', 'f': None}}
print(DeepDiff(old, new).pretty())
print(DeepDiff(old, new, ignore_numeric_type_changes=True, ignore_order=True).to_json())
print(DeepDiff([1, 2], [2, 1], ignore_order=True), DeepDiff(1.001, 1.002, significant_digits=2))
print(old | grep('x'))
