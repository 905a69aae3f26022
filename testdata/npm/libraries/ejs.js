const ejs = require('ejs');
require('fs').writeFileSync('/tmp/toolrun-part.ejs', '<i><%= name %></i>');
const text = '<ul><% for (const p of people) { -%>\n<li><%= p.name %> <%- include("/tmp/toolrun-part.ejs", p) %></li>\n<% } %></ul>';
let failed;
try { ejs.render('<%= nope.x %>', {}); } catch (error) { failed = error.message.split('\n').pop(); }
return JSON.stringify([
  ejs.render(text, { people: [{ name: 'A & B' }, { name: 'C' }] }), await ejs.render('<%= await x() %>',
    { x: async () => 5 }, { async: true }), failed,
]);
