// A comparison that a native sort calls does not come back.
// ends: time limit
[3, 2, 1].sort(() => {
  for (;;) {}
});
