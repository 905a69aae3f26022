const nunjucks = require('nunjucks');
const env = new nunjucks.Environment(null, { autoescape: true });
env.addFilter('shout', (s) => `${s}!`);
const template =
  '{% macro m(x) %}[{{ x }}]{% endmacro %}{% for x in list | sort %}{{ loop.index }}:{{ x | upper | shout }} {{ m(x) }}{% endfor %}{{ "<b>" }}{{ "<b>" | safe }}';
return JSON.stringify([env.renderString(template, { list: ['b', 'a'] }),
  env.renderString('{% set x = 5 %}{{ x if x > 3 else 0 }} {{ [1,2] | join("-") }}', {})]);
