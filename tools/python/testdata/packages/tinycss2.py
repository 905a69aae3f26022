# Debian: python3-tinycss2 python3-webencodings
import tinycss2

css = '''@media (max-width: 30em) { a { color: red } }
.b > a:hover, #c { margin: 0 auto !important; background: url("x.png") rgb(1, 2, 3) }
/* end */ bad { x }'''
rules = tinycss2.parse_stylesheet(css, skip_whitespace=True, skip_comments=True)
for rule in rules:
    print(rule.type, tinycss2.serialize(rule.prelude).strip())
    for declaration in tinycss2.parse_declaration_list(rule.content, skip_whitespace=True):
        print('  ', declaration.type, getattr(declaration, 'name', ''), getattr(declaration, 'important', ''),
              getattr(declaration, 'message', ''))
from tinycss2.color3 import parse_color
print(parse_color('#fa0'), parse_color('hsl(120, 100%, 50%)'), parse_color('none'))
