// A getter in what is cloned does not come back.
// ends: time limit
structuredClone({
  get value() {
    for (;;) {}
  },
});
