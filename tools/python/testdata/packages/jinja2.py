# Debian: python3-jinja2 python3-markupsafe
import os

import jinja2

os.makedirs('templates')
with open('templates/base.html', 'w') as f:
    f.write('<title>{% block title %}none{% endblock %}</title>{% block body %}{% endblock %}\n')
with open('templates/page.html', 'w') as f:
    f.write('{% extends "base.html" %}{% from "macros.html" import row %}{% block title %}{{ title|upper }}{% endblock %}'
            '{% block body %}{% for p in people if p.age > 20 %}{{ loop.index }}{{ row(p) }}{% else %}nobody{% endfor %}{% endblock %}')
with open('templates/macros.html', 'w') as f:
    f.write('{% macro row(p) %}<li>{{ p.name }} ({{ "%03d" | format(p.age) }})</li>{% endmacro %}')
env = jinja2.Environment(loader=jinja2.FileSystemLoader('templates'), autoescape=True, trim_blocks=True)
env.filters['double'] = lambda n: n * 2
people = [{'name': '<Ann>', 'age': 31}, {'name': 'Bob', 'age': 12}, {'name': 'Cy & Co', 'age': 45}]
print(env.get_template('page.html').render(title='people', people=people))
print(env.get_template('page.html').render(title='none', people=[]))
print(env.from_string('{{ [3, 1, 2]|sort|join("-") }} {{ 21|double }} {{ x|default("?") }} {{ {"b": 1, "a": 2}|dictsort }}').render())
for bad in ('{% if %}', '{{ a.b.c }}'):
    try:
        print(env.from_string(bad).render())
    except jinja2.TemplateError as error:
        print(type(error).__name__, error)
