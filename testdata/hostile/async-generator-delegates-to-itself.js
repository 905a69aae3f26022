// An async generator yields from another one of its own kind, without end.
// ends: exception RangeError
async function* again() {
  yield* again();
}
for await (const value of again());
