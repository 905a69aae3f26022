// Bytes that are no text become three bytes each.
// ends: time limit or memory limit
const bytes = new Uint8Array(2e7).fill(255);
for (;;) new TextDecoder().decode(bytes);
