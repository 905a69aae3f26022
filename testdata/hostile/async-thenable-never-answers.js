// A thenable keeps the functions that it is given and calls none of them.
// ends: never settles
await {
  then() {},
};
