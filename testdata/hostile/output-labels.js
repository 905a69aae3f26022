// Counters and timers get a new name each time.
// ends: time limit or memory limit
for (let i = 0; ; i++) {
  console.count('counter' + i);
  console.time('timer' + i);
}
