// The global crypto: randomness from the host. crypto.subtle is loaded when it is first used.
(function (kernel) {
  'use strict';
  const { host, bytesOf, isView, typedArrayName, indexOf, expose, Uint8Array, DOMException } = kernel;
  const fill = kernel.uncurry(Uint8Array.prototype.set);
  const quota = 65536; // bytes a call, as in Web Crypto

  const bytes = (length) => new Uint8Array(host('crypto.random', length));

  const check = (self) => {
    if (self !== kernel.crypto)
      throw kernel.makeError('TypeError', 'Value of "this" must be of type Crypto', 'ERR_INVALID_THIS');
  };
  class Crypto {
    constructor() { throw kernel.makeError('TypeError', 'Illegal constructor', 'ERR_ILLEGAL_CONSTRUCTOR'); }
    getRandomValues(array) {
      check(this);
      const name = isView(array) ? typedArrayName(array) : undefined;
      if (name === undefined || indexOf(name, 'Float') === 0) {
        throw new DOMException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
      }
      const target = bytesOf(array);
      if (target.length > quota)
        throw new DOMException('The requested length exceeds 65,536 bytes', 'QuotaExceededError');
      fill(new Uint8Array(target.buffer, target.offset, target.length), bytes(target.length));
      return array;
    }
    randomUUID() {
      check(this);
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
    }
    get subtle() {
      check(this);
      return kernel.builtin('internal/crypto/webcrypto').subtle;
    }
  }
  expose(Crypto);
  kernel.crypto = { __proto__: Crypto.prototype };
  kernel.define('crypto', kernel.crypto);
})
