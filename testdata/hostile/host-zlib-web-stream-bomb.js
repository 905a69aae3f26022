// A bomb in a bomb goes through two DecompressionStreams, again and again.
// ends: time limit
const { gzipSync, deflateRawSync } = require('zlib');
const bomb = deflateRawSync(gzipSync(Buffer.alloc(2e7)));
for (;;) {
  const source = new Blob([bomb]).stream().pipeThrough(new DecompressionStream('deflate-raw')).pipeThrough(
    new DecompressionStream('gzip'));
  for await (const chunk of source) if (chunk.length === 0) break;
}
