// The clock is asked for the time without an end.
// ends: time limit
let last = 0;
while (last >= 0) last = performance.now() + Date.now();
