// Each write has a callback, which writes.
// ends: time limit
const again = () => process.stdout.write('x', again);
again();
await new Promise(() => {});
