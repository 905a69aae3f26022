// Megabytes are signed and verified without an end.
// ends: time limit
const { privateKey, publicKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-521' },
  true, ['sign', 'verify']);
const data = new Uint8Array(8e6);
for (;;) {
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-512' }, privateKey, data);
  await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-512' }, publicKey, signature, data);
}
