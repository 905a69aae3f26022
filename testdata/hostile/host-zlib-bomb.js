// Decompresses a bomb of a bomb: each round makes a thousand times as much.
// ends: memory limit or time limit
const zlib = require('zlib');
const bomb = zlib.gzipSync(zlib.gzipSync(Buffer.alloc(3e7), { level: 1 }), { level: 9 });
const parts = [];
for (;;) parts.push(zlib.gunzipSync(zlib.gunzipSync(bomb)));
