// The function process.exit is given what is no status.
// ends: exception TypeError
process.exit({
  valueOf() {
    return 2 ** 32 + 1;
  },
});
