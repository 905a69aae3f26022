// A long number is divided by one of half its length, which takes the product of both.
// ends: time limit
const a = 3n ** 600000n;
const b = 7n ** 170000n;
for (;;) a / b + (a % b);
