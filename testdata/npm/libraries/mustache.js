const Mustache = require('mustache');
const view = { people: [{ name: 'A' }, { name: 'B', last: true }], raw: '<b>', esc: '<b>',
  up: () => (text) => text.toUpperCase() };
return JSON.stringify([
  Mustache.render('{{#people}}{{name}}{{^last}}, {{/last}}{{/people}} {{{raw}}} {{esc}} {{#up}}x{{/up}} {{> p}}', view,
    { p: 'partial {{esc}}' }),
  Mustache.parse('{{a}}')[0][0],
]);
