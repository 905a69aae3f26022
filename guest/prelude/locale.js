// The methods that take locales and options ignore them in this engine, which has no Intl. That must not go unnoticed.
(function (kernel) {
  'use strict';
  const { host, ops, apply, define } = kernel;
  const WARN = 2; // a level of the console

  const warned = { __proto__: null };
  // watch makes a method say so once if it gets an argument that it ignores, which is one after the first few.
  const watch = (prototype, name, first) => {
    const method = prototype[name];
    const { [name]: replacement } = {
      [name](...args) {
        for (let i = first; i < args.length && !warned[name]; i++) {
          if (args[i] === undefined) continue;
          warned[name] = true;
          host(ops.log, WARN, `${name} ignores locales and options here, as there is no Intl`);
        }
        return apply(method, this, args);
      },
    };
    define(name, replacement, prototype);
  };
  watch(Number.prototype, 'toLocaleString', 0);
  watch(BigInt.prototype, 'toLocaleString', 0);
  watch(Date.prototype, 'toLocaleString', 0);
  watch(Date.prototype, 'toLocaleDateString', 0);
  watch(Date.prototype, 'toLocaleTimeString', 0);
  watch(String.prototype, 'localeCompare', 1);
})
