// Sloppy code replaces the globals that modules of Node use, before they are loaded, and calls its caller.
// ends: returns 0
const got = [];
for (const name of ['Uint8Array', 'Map', 'Symbol', 'Object', 'Array', 'Promise',
  'Error', 'Buffer', 'process', 'queueMicrotask', 'setTimeout']) {
  const before = globalThis[name];
  globalThis[name] = new Proxy(before, {
    get(target, key) { if (key === 'kernel' || key === 'host') got.push(key); return Reflect.get(target, key); },
    construct(target, list, other) {
      if (list.some((v) => typeof v === 'object' && v && 'ops' in v)) got.push(name);
      return Reflect.construct(target, list, other);
    },
    apply(target, self, list) {
      if (list.some((v) => typeof v === 'object' && v && 'ops' in v)) got.push(name);
      return Reflect.apply(target, self, list);
    },
  });
}
with (new Proxy({}, { has: (_, key) => { if (key === 'kernel' || key === 'host') got.push(key); return false; } })) {
  for (const name of ['events', 'stream', 'zlib', 'crypto', 'util', 'fs', 'readline', 'perf_hooks', 'url', 'test']) {
    try {
      const module = require('node:' + name);
      if (arguments.callee.caller || module.kernel) got.push(name);
    } catch {}
  }
}
return String(got.length);
