// Dates and numbers do not say what they are any more.
// ends: returns number
Date.now = () => -1;
Date.prototype.getTime = Date.prototype.toISOString = Date.prototype.valueOf = Number.prototype.toString =
  Number.prototype.toFixed = BigInt.prototype.toString = () => {
  throw new Error('replaced');
};
console.log(new Date(0), 1.5, 10n, [10n]);
console.time('x');
console.timeEnd('x');
return typeof performance.now();
