// crypto.subtle: only digests.
(function (kernel) {
  'use strict';
  const { host, ops, bytesOf, define, TypeError, DOMException } = kernel;
  const { crypto } = globalThis;

  class SubtleCrypto {
    async digest(algorithm, data) {
      const name = typeof algorithm === 'object' && algorithm !== null ? algorithm.name : algorithm;
      const bytes = bytesOf(data);
      if (!bytes) throw new TypeError('crypto.subtle.digest needs an ArrayBuffer or a view of one');
      const sum = host(ops.web, 'digest', `${name}`, bytes.buffer, bytes.offset, bytes.length);
      if (sum === undefined) throw new DOMException('Unrecognized algorithm name: there are SHA-1, SHA-256, SHA-384 and SHA-512', 'NotSupportedError');
      return sum;
    }
  }
  kernel.decorate(SubtleCrypto.prototype, 'SubtleCrypto');
  define('subtle', new SubtleCrypto(), crypto);
})
