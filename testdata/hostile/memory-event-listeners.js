// One event target gets a new listener in each turn.
// ends: memory limit or time limit
const target = new EventTarget();
for (let i = 0; ; i++) target.addEventListener('event', () => i);
