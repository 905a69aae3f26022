// Decompresses millions of blocks with nothing in them.
// ends: time limit
const zlib = require('zlib');
const blocks = Buffer.alloc(1e7);
for (let i = 3; i < blocks.length; i += 5) blocks[i] = blocks[i + 1] = 255;
for (;;) {
  try {
    zlib.inflateRawSync(blocks);
  } catch {
    continue;
  }
}
