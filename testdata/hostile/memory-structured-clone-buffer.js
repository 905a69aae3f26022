// Clones of a large buffer are kept.
// ends: memory limit
const buffer = new Uint8Array(5e6);
const clones = [];
for (;;) clones.push(structuredClone(buffer));
