// A generator calls itself, by next, return and throw, while it is running.
// ends: returns 3 refused
let refused = 0;
function* again() {
  for (const name of ['next', 'return', 'throw']) {
    try {
      generator[name]();
    } catch (error) {
      if (error instanceof TypeError) refused++;
    }
  }
  yield 1;
}
const generator = again();
generator.next();
return refused + ' refused';
