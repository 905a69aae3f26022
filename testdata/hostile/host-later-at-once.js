// Thousands of calls are under way at the same time, and each that ends starts another one.
// ends: time limit or memory limit
const again = () => later(1).then(again);
for (let i = 0; i < 5000; i++) again();
await new Promise(() => {});
