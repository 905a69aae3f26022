const pako = require('pako');
const text = 'The quick brown fox. '.repeat(200);
const zipped = pako.gzip(text, { level: 9 });
const inflator = new pako.Inflate({ to: 'string' });
const deflated = pako.deflate(text);
inflator.push(deflated.subarray(0, 20), false);
inflator.push(deflated.subarray(20), true);
let failed;
try { pako.inflate(new Uint8Array([1, 2, 3])); } catch (error) { failed = String(error.message ?? error); }
return JSON.stringify([
  zipped.length, pako.ungzip(zipped, { to: 'string' }) === text, inflator.result.length,
  require('zlib').inflateSync(deflated).length,
  pako.inflateRaw(pako.deflateRaw(new Uint8Array([5, 5]))).join(), failed,
]);
