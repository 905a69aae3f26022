// Compresses noise as slowly as Brotli can.
// ends: time limit
const zlib = require('zlib');
const data = crypto.getRandomValues(new Uint8Array(65536));
const all = Buffer.concat(new Array(100).fill(data));
for (;;) zlib.brotliCompressSync(all);
