// A getter in an argument does not come back.
// ends: time limit
echo({
  get value() {
    for (;;) {}
  },
});
