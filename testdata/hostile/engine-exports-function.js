// The function by which modules get the exports of other files is called with names that it should not know.
// ends: returns nothing-reached
const reached = [];
for (const name of Object.getOwnPropertyNames(globalThis).filter(
  (n) => n.startsWith('__') && typeof globalThis[n] === 'function')) {
  for (const path of [
    'kernel', '__proto__', 'constructor', 'qjs:std', '/etc/passwd', '', null, {}, { toString: () => 'fs' }, Symbol('x'),
  ]) {
    try {
      const value = globalThis[name](path);
      if (value !== fs) reached.push(name + String(path));
    } catch {}
  }
}
return reached.length === 0 ? 'nothing-reached' : reached.join();
