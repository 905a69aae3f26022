// Each call carries a megabyte to the host and back.
// ends: time limit
const text = 'x'.repeat(1e6);
for (;;) echo(text);
