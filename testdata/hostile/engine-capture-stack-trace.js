// Error.captureStackTrace and the properties of stacks are used on what is no error.
// ends: returns ok
for (const target of [{}, [], Object.freeze({}), new Proxy({}, {}), function () {}, 1, null, globalThis]) {
  for (const constructor of [undefined, Error, () => {}, 1, new Proxy(function () {}, {})]) {
    try {
      Error.captureStackTrace(target, constructor);
      String(target.stack);
    } catch {}
  }
}
for (const limit of [-1, NaN, Infinity, 2 ** 32, '5', {}, { valueOf() { throw 1; } }, Symbol('x')]) {
  try {
    Error.stackTraceLimit = limit;
    new Error('x').stack;
  } catch {}
}
return 'ok';
