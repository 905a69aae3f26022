// Memory is full, each refusal is caught, and asking goes on in smaller and smaller pieces.
// ends: memory limit
const kept = [];
for (let size = 1e7; ; size = Math.max(1, size >> 1)) {
  try {
    for (;;) kept.push(new Uint8Array(size));
  } catch {}
}
