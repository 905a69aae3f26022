// atob and btoa, and the methods of Uint8Array for base64 and hexadecimal digits, which are loaded when they are first
// used.
(function (kernel) {
  'use strict';
  const { host, DOMException } = kernel;

  const convert = (name, args, complaint) => {
    if (args.length === 0)
      throw kernel.makeError('TypeError', 'The "input" argument must be specified', 'ERR_MISSING_ARGS');
    const result = host(name, `${args[0]}`);
    if (result === undefined) throw new DOMException(complaint, 'InvalidCharacterError');
    return result;
  };
  kernel.define('atob', function atob(data) {
    return convert('atob', arguments, 'The string to be decoded is not correctly encoded.');
  });
  kernel.define('btoa', function btoa(data) {
    return convert('btoa', arguments, 'The string to be encoded contains characters outside of the Latin1 range.');
  });

  const methods = (target, names) => {
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      const method = { [name](...args) {
        return kernel.apply(kernel.builtin('internal/uint8array')[name], this, args);
      } }[name];
      kernel.define(name, method, target);
    }
  };
  methods(Uint8Array.prototype, ['toBase64', 'toHex', 'setFromBase64', 'setFromHex']);
  methods(Uint8Array, ['fromBase64', 'fromHex']);
})
