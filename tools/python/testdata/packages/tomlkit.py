# Debian: python3-tomlkit
import tomlkit

text = '''# A comment
title = "x"   # kept

[owner]
name = 'Ann'
born = 1979-05-27T07:32:00-08:00
numbers = [1, 2,
  3] # end

[[product]]
id = 0x1F
[[product]]
id = 2
'''
document = tomlkit.parse(text)
document['title'] = 'new'
document['owner']['numbers'].append(4)
document['product'][0]['price'] = 1.5
document.add('last', tomlkit.table().append('a', True))
print(tomlkit.dumps(document))
print(document.unwrap())
try:
    tomlkit.parse('a = [1\nb = 2')
except tomlkit.exceptions.ParseError as error:
    print(type(error).__name__, error)
