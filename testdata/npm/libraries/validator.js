const validator = require('validator');
return JSON.stringify([
  validator.isEmail('a.b+c@example.co.uk'), validator.isURL('http://x'), validator.isIBAN('DE89370400440532013000'),
  validator.isCreditCard('4111111111111111'),
  validator.isMobilePhone('+4791234567', 'nb-NO'), validator.escape('<a href="x">'),
  validator.normalizeEmail('Some.Name+tag@GMAIL.com'),
  validator.isISO8601('2024-02-30', { strict: true }), validator.isStrongPassword('aB3$efgh'), validator.isIP('::1', 6),
  validator.isPostalCode('0150', 'NO'),
]);
