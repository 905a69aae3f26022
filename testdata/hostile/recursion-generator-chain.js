// A value is passed up through tens of thousands of generators that delegate.
// ends: exception RangeError or time limit
function* wrap(inner) {
  yield* inner;
}
let generator = [1, 2, 3].values();
for (let i = 0; i < 5e4; i++) generator = wrap(generator);
return generator.next().value;
