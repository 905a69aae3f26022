// atob and btoa.
(function (kernel) {
  'use strict';
  const { host, ops, DOMException } = kernel;

  const convert = (name, text, complaint) => {
    const result = host(ops.web, name, `${text}`);
    if (result === undefined) throw new DOMException(complaint, 'InvalidCharacterError');
    return result;
  };
  kernel.define('atob', function atob(data) { return convert('atob', data, 'The string to be decoded is not correctly encoded.'); });
  kernel.define('btoa', function btoa(data) { return convert('btoa', data, 'The string to be encoded contains characters outside of the Latin1 range.'); });
})
