// The engine's own modules would give files, processes and raw memory.
// ends: returns nothing-reached
const reached = [];
for (const name of ['qjs:std', 'qjs:os', 'qjs:bjson', 'std', 'bjson', './qjs:std',
  '/qjs:std', 'file:qjs:std', 'QJS:STD', 'qjs:std\0', ' qjs:std', 'qjs%3Astd', 'node:../qjs:std']) {
  for (const load of [(n) => import(n), async (n) => require(n), (n) => new Function('n', 'return import(n)')(n),
    (n) => (0, eval)(`import(${JSON.stringify(n)})`)]) {
    try {
      await load(name);
      reached.push(name);
    } catch {}
  }
}
return reached.length === 0 ? 'nothing-reached' : reached.join();
