// What a generator never stops giving goes into a hash.
// ends: time limit
const { createHmac } = require('crypto');
const { pipeline } = require('stream/promises');
await pipeline(function* () { for (;;) yield Buffer.alloc(65536); }, createHmac('sha3-512', 'key'));
