// Decompresses a bomb of Brotli whole, again and again.
// ends: time limit
const zlib = require('zlib');
const bomb = zlib.brotliCompressSync(Buffer.alloc(2e7), { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } });
for (;;) zlib.brotliDecompressSync(bomb);
