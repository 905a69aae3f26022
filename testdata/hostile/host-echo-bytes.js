// Each call carries twenty million bytes, as bytes.
// ends: time limit or memory limit
const bytes = new Uint8Array(1e7);
for (;;) echo(bytes, [bytes]);
