// A function calls itself without an end.
// ends: exception RangeError
function again() {
  return again() + 1;
}
again();
