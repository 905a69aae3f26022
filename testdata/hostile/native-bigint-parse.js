// A text of decimal digits becomes a number, which takes quadratic time.
// ends: time limit
const digits = '7'.repeat(290000);
for (;;) BigInt(digits);
