// Decodes a stream without an end, and keeps all of it.
// ends: memory limit
// grows: 128 MiB
const decoder = new TextDecoder('shift_jis'), kept = [], bytes = new Uint8Array(1e6).fill(0xb1);
for (;;) kept.push(decoder.decode(bytes, {stream: true}));
