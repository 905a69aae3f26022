const Papa = require('papaparse');
const { Readable } = require('stream');
const rows = [];
for await (const row of Readable.from(['a,b\n1,', '2\n3,4']).pipe(Papa.parse(Papa.NODE_STREAM_INPUT,
  { header: true }))) rows.push(row);
const { data, errors, meta } = Papa.parse('name;n\n"a; b";1\n"c ""d""";2\n5;6;7',
  { header: true, dynamicTyping: true });
return JSON.stringify([data, errors.map((e) => e.code), meta.delimiter,
  Papa.unparse([{ x: 'q"', y: 1 }, { x: null, y: true }]), rows]);
