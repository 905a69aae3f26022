// A try with a finally is left by thousands of jumps, for each of which the finally is written out where a compiler is careless.
// ends: exception or time limit or memory limit
let text = 'x++;';
for (let i = 0; i < 14; i++) text = `try { ${text} if (x) return 1; } finally { ${text} }`;
const nested = new Function('x', text);
for (;;) nested(0);
