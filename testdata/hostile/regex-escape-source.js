// The source of an expression that consists of slashes and line ends is escaped each time it is asked for.
// ends: time limit
const expression = new RegExp('/\n'.repeat(1e5));
for (;;) expression.source.length + String(expression).length;
