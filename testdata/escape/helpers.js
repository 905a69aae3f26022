// Functions that the code of all attempts can use.

// tell returns what comes of something: a value, or the code or text of an error.
const tell = async (f) => { try { return String(await f()) } catch (e) { return e.code ?? `${e}` } };
// say returns the text of what comes of a call.
const say = async (f) => { try { return String(await f()) } catch (e) { return e.message } };
// attack tries the functions of fs on a path, and returns which have done something.
const attack = async (p) => {
  const done = new Set();
  for (const [name, ...args] of [
    ['readFile', p, 'utf8'], ['readFile', p], ['readdir', p], ['readdir', p, {recursive: true, withFileTypes: true}],
    ['truncate', p, 1], ['appendFile', p, 'x'],
    ['writeFile', p, 'x', {flag: 'r+'}], ['writeFile', p, 'x', {flag: 'a'}], ['writeFile', p, 'x'],
    ['writeFile', p + '/x', 'x'], ['mkdir', p + '/y/z', {recursive: true}],
    ['copyFile', p, '/got-file'], ['cp', p, '/got-tree', {recursive: true}], ['copyFile', '/memories/m.md', p],
    ['cp', '/memories', p, {recursive: true}],
  ]) for (const form of [name, name + 'Sync']) {
    try { await fs[form](...args); done.add(name) } catch {}
  }
  return [...done].join() || 'nothing';
};
// load tries what loads modules.
const load = async (p) => {
  const done = [];
  for (const [name, f] of Object.entries({import: () => import(p), require: () => require(p),
    resolve: () => require.resolve(p)})) {
    try { await f(); done.push(name) } catch {}
  }
  return done.join() || 'nothing';
};
