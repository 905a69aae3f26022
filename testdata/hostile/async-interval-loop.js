// The first turn of an interval does not come back.
// ends: time limit or returns undefined
setInterval(() => {
  for (;;) {}
}, 0);
