// Loops inside of loops, each of which would go on if the stop were an exception that can be caught.
// ends: time limit
function keepGoing() {
  try {
    for (;;) {}
  } catch {
    keepGoing();
  } finally {
    keepGoing();
  }
}
keepGoing();
