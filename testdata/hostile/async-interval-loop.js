// The first turn of an interval does not come back.
// ends: time limit
setInterval(() => {
  for (;;) {}
}, 0);
