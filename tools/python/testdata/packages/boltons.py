# Debian: python3-boltons
from boltons import cacheutils, dictutils, iterutils, mathutils, statsutils, strutils, tableutils, timeutils
import datetime

print(strutils.slugify('Hello, Wörld!'), strutils.camel2under('camelCaseName'), strutils.ordinalize(23), strutils.bytes2human(123456, 2))
print(iterutils.remap({'a': [1, None, {'b': None}]}, lambda p, k, v: v is not None), iterutils.bucketize(range(6), lambda n: n % 3), iterutils.backoff(1, 20, count=6))
d = dictutils.OrderedMultiDict([('a', 1), ('b', 2), ('a', 3)])
print(d.getlist('a'), d.inverted(), statsutils.Stats([1, 2, 3, 10]).describe(), mathutils.clamp(7, 0, 5))
cache = cacheutils.LRU(max_size=2)
for key in 'abca':
    cache[key] = ord(key)
print(cache, timeutils.relative_time(datetime.datetime(2024, 1, 1), ndigits=0) != '', tableutils.Table.from_dict({'a': 1}).to_text())
