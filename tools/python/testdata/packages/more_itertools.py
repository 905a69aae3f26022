# Debian: python3-more-itertools; modules: concurrent.futures.thread
import more_itertools as mi

print(list(mi.chunked(range(7), 3)), list(mi.windowed([1, 2, 3, 4], 2)), mi.first([], 'none'), mi.one([5]))
print(list(mi.flatten([[1], [2, 3]])), list(mi.collapse([1, [2, [3, [4]]]])),
      list(mi.interleave_longest([1, 2], 'abc')))
print([list(g) for g in mi.split_at('a-b-c', lambda c: c == '-')], list(mi.run_length.encode('aaabbc')),
      list(mi.distinct_permutations('aab')))
head, rest = mi.spy(iter(range(5)), 2)
print(head, list(rest), mi.ilen(x for x in range(9)), list(mi.sort_together([(3, 1, 2), 'abc'])))
p = mi.peekable('xyz')
print(p.peek(), next(p), p.peek(), list(p), list(mi.set_partitions('abc', 2)), mi.nth_product(7, 'ab', 'cd', 'ef'))
