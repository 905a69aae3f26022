// Generators are suspended with their stacks.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
function* wait(...args) {
  yield args;
}
const generators = [];
for (let i = 0; ; i++) {
  const generator = wait(i, i, i, i);
  generator.next();
  generators.push(generator);
}
