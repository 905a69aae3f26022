const Handlebars = require('handlebars');
Handlebars.registerHelper('up', (s) => s.toUpperCase());
Handlebars.registerPartial('row', '<li>{{a}}</li>');
let failed;
try { Handlebars.compile('{{#if}}')({}); } catch (error) { failed = error.message.split('\n')[0]; }
const render = Handlebars.compile(
  '{{#each list}}{{up this}}{{#unless @last}}, {{/unless}}{{/each}} {{safe}} {{{raw}}} {{#with o}}{{a}}{{/with}} {{> row o}}');
return JSON.stringify([render({ list: ['a', 'b'], safe: '<x>', raw: '<y>', o: { a: 1 } }), failed]);
