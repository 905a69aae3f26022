// Symbols with long descriptions are shown, as values and in lists.
// ends: time limit
const symbol = Symbol('x'.repeat(1e6));
for (;;) console.log(symbol, [symbol]);
