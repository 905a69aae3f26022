// The lines of a text without an end are read, and one line without an end.
// ends: memory limit or time limit
const { createInterface } = require('readline');
const { Readable } = require('stream');
for await (const line of createInterface({
  input: Readable.from((function* () { for (let n = 0; n < 1e5; n++) yield 'a\n\r\nb\u2028'; })()),
})) if (line === 'x') break;
for await (const line of createInterface({
  input: Readable.from((function* () { for (;;) yield 'x'.repeat(10000); })()),
})) if (line === 'x') break;
