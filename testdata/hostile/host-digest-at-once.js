// Thousands of hashes are asked for at once.
// ends: time limit or memory limit
const bytes = new Uint8Array(1e6);
for (;;) await Promise.all(Array.from({ length: 1000 }, () => crypto.subtle.digest('SHA-384', bytes)));
