// Numbers of as many digits as there may be are written, in parts and as ranges.
// ends: time limit
const number = BigInt('9'.repeat(100000));
const format = new Intl.NumberFormat('hi', {
  style: 'currency', currency: 'INR', currencyDisplay: 'name', minimumFractionDigits: 100,
});
for (let n = 0n; ; n++) {
  number.toLocaleString('ar-EG', { maximumSignificantDigits: 21, roundingIncrement: 1 });
  format.formatToParts(number - n);
  format.formatRangeToParts(n, number);
}
