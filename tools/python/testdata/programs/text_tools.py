import difflib
import html
import string
import textwrap
import unicodedata

text = 'The quick brown fox jumps over the lazy dog, then rests under a tree for a very long while.'
print(textwrap.fill(text, 30, initial_indent='* ', subsequent_indent='  '))
print(textwrap.shorten(text, 40), textwrap.dedent('''
    a
      b'''), textwrap.indent('x\ny', '> '))
print(*difflib.unified_diff('a b c d'.split(), 'a x c e d'.split(), 'old', 'new', lineterm=''), sep='\n')
print(difflib.get_close_matches('appel', ['ape', 'apple', 'peach']), difflib.SequenceMatcher(None, 'abcd', 'bcde').ratio())
print(string.Template('$who owes ${n}$$').substitute(who='Ann', n=3), html.unescape('&lt;p&gt; &eacute; &#x1F600;'), html.escape('<"&\'>'))
print(unicodedata.normalize('NFD', 'é').encode(), unicodedata.name('ß'), 'straße'.casefold(), 'ǅ'.lower(), 'İ'.lower().encode(), '١٢'.isdigit(), int('١٢'))
print('a,b,,c'.split(','), 'x=1;y'.partition(';'), 'Hello'.center(11, '*'), 'abc'.translate(str.maketrans('ab', 'xy')), 'title case'.title(), '%-5s|%05.1f' % ('a', 2))
print('日本'.encode('utf-8'), '日本'.encode('shift_jis'), b'\xff\xfe'.decode('utf-8', 'replace'), 'é'.encode('ascii', 'xmlcharrefreplace'))
