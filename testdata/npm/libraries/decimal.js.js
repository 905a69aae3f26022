const Decimal = require('decimal.js');
return JSON.stringify([
  new Decimal('0.1').plus('0.2').times('1e30').toFixed(), Decimal.sqrt(2), new Decimal(2).pow(200),
  Decimal.set({ precision: 50 }).acos(-1), new Decimal('1e400').log(),
]);
