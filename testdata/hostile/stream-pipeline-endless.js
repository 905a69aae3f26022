// A pipeline has a source without an end, and transforms that push into themselves.
// ends: time limit or memory limit
const { Readable, Transform } = require('stream');
const { pipeline } = require('stream/promises');
const again = new Transform({ objectMode: true, transform(chunk, _, done) {
  this.push(chunk);
  this.push(chunk);
  done();
} });
await pipeline(Readable.from((function* () { for (let n = 0; ; n++) yield n; })()), again, async function* (source) {
  for await (const chunk of source) yield String(chunk);
}, new Transform({ transform(chunk, _, done) { done(); } }));
