// Immediates, ticks and microtasks start each other, and there are ever more.
// ends: time limit or memory limit
const tick = () => { process.nextTick(tick); queueMicrotask(() => {}); };
setImmediate(function again() { setImmediate(again); setImmediate(again); });
setTimeout(tick, 0);
