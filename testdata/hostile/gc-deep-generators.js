// Suspended generators, each of which holds another one, are dropped.
// ends: time limit or memory limit
function* holds(inner) {
  yield 1;
  yield inner;
}
for (;;) {
  let generator = null;
  for (let i = 0; i < 1e5; i++) {
    generator = holds(generator);
    generator.next();
  }
}
