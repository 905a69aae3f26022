// Decompresses noise, and compressed noise with changes.
// ends: time limit
const zlib = require('zlib');
const good = zlib.deflateSync(Buffer.from('abcabcabcabd'.repeat(500)));
for (let i = 0; ; i++) {
  const bad = Buffer.from(good);
  for (let n = 0; n < 3; n++) bad[Math.floor(Math.random() * bad.length)] = Math.floor(Math.random() * 256);
  for (const f of [zlib.inflateSync, zlib.gunzipSync, zlib.inflateRawSync, zlib.unzipSync]) {
    try {
      f(i % 2 ? bad : bad.subarray(2));
    } catch {
      continue;
    }
  }
}
