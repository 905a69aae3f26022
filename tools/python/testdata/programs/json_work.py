import json

data = {'name': 'Ünï', 'n': [1, 2.5, 1e100, -0.0, 10 ** 30], 'nested': {'t': True, 'f': None},
        'esc': 'a"b\\c\n\u2028\x07'}
text = json.dumps(data, indent=2, ensure_ascii=False)
print(text)
print(json.dumps(data, sort_keys=True, separators=(',', ':')))
assert json.loads(text) == data
for bad in ('{"a": 1,}', '[1 2]', '{"a": nan}', '', '"\t"', '[1]]'):
    try:
        print(json.loads(bad))
    except json.JSONDecodeError as error:
        print(error, error.lineno, error.colno, error.pos)
print(json.loads('[NaN, -Infinity, 1E400]'), json.dumps({1: 'x', None: 2, True: 3}))
with open('data.json', 'w') as f:
    json.dump(data, f)
