// Contexts are entered in contexts, by promises that start others.
// ends: time limit or memory limit or recursion limit or exception
const { AsyncLocalStorage } = require('async_hooks');
const storages = Array.from({ length: 100 }, () => new AsyncLocalStorage());
const next = async (n) => {
  for (const storage of storages) storage.enterWith(n);
  await storages[n % 100].run({ n }, () => Promise.all([0, 1].map(async () => { await 0; return n; })));
  return next(n + 1);
};
await next(0);
