// The toJSON of an argument ends the run while the call is being made.
// ends: exits 4
later({
  toJSON() {
    process.exit(4);
  },
});
for (;;) {}
