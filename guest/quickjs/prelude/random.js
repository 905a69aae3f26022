// Randomness from the host: crypto.getRandomValues and crypto.randomUUID.
(function (kernel) {
  'use strict';
  const { host, ops, bytesOf, makeError, isView, Uint8Array } = kernel;
  const fill = kernel.uncurry(Uint8Array.prototype.set);
  const quota = 65536; // bytes a call, as in Web Crypto

  const bytes = (length) => new Uint8Array(host(ops.random, length));

  const crypto = {
    getRandomValues(array) {
      const target = isView(array) ? bytesOf(array) : undefined;
      if (!target) throw makeError('TypeError', 'crypto.getRandomValues needs a typed array of integers');
      if (target.length > quota) throw makeError('RangeError', `crypto.getRandomValues fills at most ${quota} bytes at a time`);
      fill(new Uint8Array(target.buffer, target.offset, target.length), bytes(target.length));
      return array;
    },
    randomUUID() {
      const b = bytes(16);
      b[6] = (b[6] & 0x0f) | 0x40;
      b[8] = (b[8] & 0x3f) | 0x80;
      const digits = '0123456789abcdef';
      let text = '';
      for (let i = 0; i < 16; i++) {
        if (i === 4 || i === 6 || i === 8 || i === 10) text += '-';
        text += digits[b[i] >> 4] + digits[b[i] & 15];
      }
      return text;
    },
  };
  kernel.define('crypto', crypto);
})
