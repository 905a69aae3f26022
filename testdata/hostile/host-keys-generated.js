// Keys of RSA are generated without an end, many at once.
// ends: time limit
const algorithm = { name: 'RSA-PSS', modulusLength: 4096, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-512' };
for (;;) await Promise.all(
  Array.from({ length: 10 }, () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])));
