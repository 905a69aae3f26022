// What other programs with this engine have as globals would lead out of it.
// ends: returns nothing-reached
const names = [
  'std', 'os', 'bjson', 'print', 'scriptArgs', 'gc', 'load', 'loadScript', 'evalScript', 'QJS_PROXY_VALUE', '__proxy__',
    'Worker', 'WebAssembly', 'Deno', 'Bun', 'fetch', 'XMLHttpRequest', 'importScripts', 'SharedWorker', 'kernel',
];
return names.filter((name) => name in globalThis).join() || 'nothing-reached';
