const pug = require('pug');
const render = pug.compile(
  'doctype html\nmixin item(x)\n  li(class=x.done ? "done" : null data-id=x.id)= x.title\nul#list\n  each x, i in items\n    +item(x)\n  else\n    li none\np.\n  Total: #{items.length} !{raw}\n',
  { pretty: true });
let failed;
try { pug.compile('div\n\tp\n  q'); } catch (error) { failed = error.code; }
return JSON.stringify([render({ items: [{ id: 1, title: '<a>', done: true }, { id: 2, title: 'b' }], raw: '<br>' }),
  pug.render('p= n + 1', { n: 2 }), failed]);
