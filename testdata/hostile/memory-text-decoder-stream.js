// A decoder is given bytes of characters that never end, and would have to keep them all.
// ends: time limit
const decoder = new TextDecoder('iso-2022-jp');
const bytes = new Uint8Array(1e6).fill(0x1b);
for (;;) decoder.decode(bytes, { stream: true });
