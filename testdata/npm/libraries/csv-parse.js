const { parse } = require('csv-parse/sync');
const { parse: stream } = require('csv-parse');
const text = 'id,name,when\n1,"Ann ""A""",2024-01-01\n2,"Bob\nB",\n';
const rows = await new Promise((resolve, reject) => stream(text, { columns: true, cast: true },
  (error, all) => (error ? reject(error) : resolve(all))));
let failed;
try { parse('a,b\n1,2,3'); } catch (error) { failed = [error.code, error.message]; }
return JSON.stringify([
  parse(text, { columns: true, skip_empty_lines: true }), rows, parse(Buffer.from('\uFEFFx;y\n1;2'),
    { bom: true, delimiter: ';', from_line: 2 }), failed,
]);
