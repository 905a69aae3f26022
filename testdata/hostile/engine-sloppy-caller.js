// Sloppy functions, which have a caller in other engines, are called by the prelude and by native code.
// ends: returns nothing-reached
const sloppy = new Function('got',
  `return function spy() { try { if (spy.caller) got.push('caller') } catch {} try { if (arguments.callee.caller) got.push('callee') } catch {} if (this !== undefined && this !== globalThis) got.push('this'); return 'x' }`);
const got = [];
const spy = sloppy(got);
setTimeout(spy, 0);
queueMicrotask(spy);
fs.stat('/', spy);
await new Promise((resolve) => setTimeout(resolve, 5));
return got.filter((name) => name !== 'this').length === 0 ? 'nothing-reached' : got.join();
