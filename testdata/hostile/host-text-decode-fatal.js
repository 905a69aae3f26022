// Decoding fails at the first byte of twenty million, or at the last one.
// ends: time limit
const bytes = new Uint8Array(2e7).fill(0x41);
bytes[bytes.length - 1] = 255;
for (;;) {
  try {
    new TextDecoder('gb18030', { fatal: true }).decode(bytes);
  } catch {}
}
