// The function by which modules get their values, and require itself, are replaced.
// ends: returns 1 2
fs.writeFileSync('/a.cjs', 'module.exports = { a: 1 }; Object.prototype.__esModule = true;');
fs.writeFileSync('/b.js', 'export default 2;');
const names = Object.getOwnPropertyNames(globalThis).filter((name) => name.startsWith('__'));
const { a } = await import('/a.cjs');
for (const name of names) {
  if (name === '__dirname' || name === '__filename') globalThis[name] = null;
}
globalThis.require = globalThis.module = globalThis.exports = null;
delete Object.prototype.__esModule;
return a + ' ' + (await import('/b.js')).default;
