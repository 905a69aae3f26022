// The function process.exit is given what is no status.
// ends: exits 1
process.exit({
  valueOf() {
    return 2 ** 32 + 1;
  },
});
