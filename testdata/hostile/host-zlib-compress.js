// Compresses what takes the longest.
// ends: time limit
const zlib = require('zlib');
const data = Buffer.alloc(1e7, 'aaaaaaaaaaaaaaaaaaab');
for (;;) zlib.deflateSync(data, { level: 9 });
