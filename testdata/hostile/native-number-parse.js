// Texts of millions of digits are parsed as numbers.
// ends: time limit
const digits = '1'.repeat(5e6);
for (;;) parseInt(digits, 7) + parseFloat(digits) + Number('0.' + digits);
