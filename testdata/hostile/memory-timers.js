// Timers are set for a moment that does not come.
// ends: memory limit or time limit
for (let i = 0; ; i++) setTimeout(() => i, 1e6);
