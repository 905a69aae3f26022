// Timers are set and cleared, in an order that is bad for any list of them.
// ends: time limit or memory limit
for (;;) {
  const ids = [];
  for (let i = 0; i < 2000; i++) ids.push(setTimeout(() => {}, 1e6 - i));
  for (let i = 0; i < 2000; i++) clearTimeout(ids[(i * 7) % 2000]);
}
