const { nanoid, customAlphabet, urlAlphabet } = require('nanoid');
const digits = customAlphabet('0123456789', 12);
return JSON.stringify([
  nanoid().length, nanoid(10).length, /^\d{12}$/.test(digits()), urlAlphabet.length,
  new Set(Array.from({ length: 500 }, () => nanoid())).size,
]);
