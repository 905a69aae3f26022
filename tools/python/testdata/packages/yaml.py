# Debian: python3-yaml
import datetime

import yaml

text = '''
name: &n test
date: 2024-02-29
when: 2001-12-14t21:59:43.10-05:00
list: [1, 2.5, 0x1F, ~, yes, "no"]
copy: *n
base: &base {a: 1, b: 2}
merged:
  <<: *base
  b: 3
text: |
  two
  lines
folded: >
  one
  line
'''
data = yaml.safe_load(text)
print(data)
print(yaml.dump(data, sort_keys=False, allow_unicode=True))
print(list(yaml.safe_load_all('--- 1\n--- [a, b]\n---\nc: d\n')))
print(yaml.safe_dump({'d': datetime.date(2024, 1, 2), 's': 'é: #', 'l': [[], {}, None, 1e10]}, default_flow_style=None))
for bad in ('a: [1, 2', 'a: b: c', '!!python/object:os.system x'):
    try:
        yaml.safe_load(bad)
    except yaml.YAMLError as error:
        print(type(error).__name__, str(error).replace('\n', ' / '))
print(yaml.__with_libyaml__ in (True, False))
