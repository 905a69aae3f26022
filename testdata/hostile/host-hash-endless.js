// Adds to a hash without end.
// ends: time limit
const hash = require('crypto').createHash('sha3-512');
const bytes = Buffer.alloc(1e7);
for (;;) hash.update(bytes);
