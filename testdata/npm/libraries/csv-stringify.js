const { stringify } = require('csv-stringify/sync');
const { stringify: stream } = require('csv-stringify');
const { Readable } = require('stream');
const rows = [{ a: 1, b: 'x,y' }, { a: true, b: 'q"q' }, { a: null, b: new Date(0) }];
let text = '';
for await (const chunk of Readable.from(rows).pipe(stream({ header: true, columns: ['a', 'b'] }))) text += chunk;
return JSON.stringify([
  stringify(rows, { header: true, cast: { date: (d) => d.toISOString() } }), text,
  stringify([['a', 'b']], { delimiter: '\t', quoted: true }),
]);
