import contextlib
import itertools


def primes():
    composites = {}
    for n in itertools.count(2):
        if n not in composites:
            yield n
            composites[n * n] = [n]
        else:
            for p in composites.pop(n):
                composites.setdefault(n + p, []).append(p)


def average():
    total, count, value = 0, 0, None
    while True:
        value = yield value
        total, count = total + value, count + 1
        value = total / count


@contextlib.contextmanager
def tag(name):
    print(f'<{name}>')
    try:
        yield name.upper()
    finally:
        print(f'</{name}>')


print(list(itertools.islice(primes(), 15)), sum(itertools.takewhile(lambda p: p < 2000, primes())))
a = average()
next(a)
print([a.send(n) for n in (10, 20, 60)], a.close())
with tag('b') as name, contextlib.suppress(KeyError):
    print(name)
    {}['x']
print([(k, len(list(g))) for k, g in itertools.groupby('aaabbc')], list(itertools.pairwise('abcd')),
      list(itertools.zip_longest('ab', 'x', fillvalue='-')))
print(len(list(itertools.permutations(range(5), 3))), list(itertools.accumulate([3, 1, 2], max)),
      list(itertools.product('ab', repeat=2)), list(itertools.combinations_with_replacement('ab', 2)))
