// Calls of an async function of the host are started, and none of them is waited for.
// ends: time limit or memory limit
for (;;) later(1);
