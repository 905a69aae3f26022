// Keeps the states of more and more hashes.
// ends: memory limit or time limit
const crypto = require('crypto');
const hashes = [crypto.createHash('sha512')];
for (;;) hashes.push(hashes[hashes.length - 1].copy().update('x'));
