# Debian: python3-toolz
import toolz
from toolz.curried import filter, groupby, map, pipe, valmap

words = 'the quick brown fox jumps over the lazy dog the end'.split()
print(pipe(words, groupby(len), valmap(sorted)))
print(toolz.frequencies(words), list(toolz.sliding_window(3, range(6))), list(toolz.partition_all(4, range(10))))
print(toolz.reduceby(lambda n: n % 3, lambda a, b: a + b, range(10), 0), toolz.merge_with(sum, {'a': 1}, {'a': 2, 'b': 3}))
print(pipe(range(10), filter(lambda n: n % 2), map(lambda n: n * n), list), toolz.get_in(['a', 0, 'b'], {'a': [{'b': 7}]}))
print(toolz.compose(str, abs)(-3), list(toolz.unique([1, 2, 1, 3])), toolz.thread_last([3, 1, 2], sorted, list))
