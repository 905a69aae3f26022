# Debian: python3-mako python3-markupsafe
from mako.template import Template

template = Template('''<%def name="row(x)"><td>${x | h}</td></%def>\\
<%! import math %>\\
% for n in range(3):
${n}: ${math.factorial(n + 3)} ${row('<%d>' % n)}
% endfor
## a comment
% if title:
${title.upper()}
% else:
none
% endif
''')
print(template.render(title='end'))
print(template.render(title=''))
try:
    Template('${1 / 0}').render()
except ZeroDivisionError as error:
    print(error)
