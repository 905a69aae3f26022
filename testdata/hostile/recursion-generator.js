// A generator delegates to a new one of its own kind before it yields anything.
// ends: exception RangeError
function* again() {
  yield* again();
}
for (const value of again());
