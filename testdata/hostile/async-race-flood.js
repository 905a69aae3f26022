// Races against a promise that never settles leave something behind in it each time.
// ends: time limit or memory limit
const never = new Promise(() => {});
for (;;) await Promise.race([never, 1]);
