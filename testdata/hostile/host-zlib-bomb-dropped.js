// Decompresses a bomb again and again, and drops what comes out.
// ends: time limit
const zlib = require('zlib');
const bomb = zlib.deflateRawSync(Buffer.alloc(2e7));
for (;;) zlib.inflateRawSync(bomb);
