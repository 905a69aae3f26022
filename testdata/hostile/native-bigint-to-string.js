// A number is written in decimal digits, which takes quadratic time.
// ends: time limit
for (;;) (7n ** 200000n).toString();
