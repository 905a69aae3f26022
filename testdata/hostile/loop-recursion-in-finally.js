// Recursion that calls itself again when it fails makes a tree of calls that is thousands of levels deep.
// ends: time limit
function again() {
  try {
    again();
  } finally {
    again();
  }
}
again();
