// Closures that hold one another are dropped all at once.
// ends: time limit or memory limit
for (;;) {
  let inner = () => 0;
  for (let i = 0; i < 1e5; i++) {
    const outer = inner;
    inner = () => outer;
  }
}
