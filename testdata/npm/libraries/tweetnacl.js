const nacl = require('tweetnacl');
const seed = new Uint8Array(32).fill(7);
const pair = nacl.sign.keyPair.fromSeed(seed);
const message = new TextEncoder().encode('message');
const box = nacl.box.keyPair();
const nonce = nacl.randomBytes(nacl.box.nonceLength);
const sealed = nacl.box(message, nonce, box.publicKey, box.secretKey);
return JSON.stringify([
  Buffer.from(nacl.sign.detached(message, pair.secretKey)).toString('base64'), nacl.sign.detached.verify(message,
    nacl.sign.detached(message, pair.secretKey), pair.publicKey),
  Buffer.from(nacl.hash(message)).toString('hex').slice(0, 20), new TextDecoder().decode(nacl.box.open(sealed, nonce,
    box.publicKey, box.secretKey)),
  nacl.secretbox.open(new Uint8Array(20), nonce, seed),
]);
