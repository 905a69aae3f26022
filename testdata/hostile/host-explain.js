// Errors that the host explains have names and places that are hard to find in the source.
// ends: time limit
const text = '(' + 'a.b'.repeat(20) + ')'.repeat(5000);
for (;;) {
  try {
    new Function('x'.repeat(1000) + ' = undefined; ' + 'y'.repeat(1e4) + text);
    null.x;
  } catch (error) {
    console.log(error);
  }
}
