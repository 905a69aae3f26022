// Iterator.concat: the engine's own uses freed memory if an iterable uses the iterator that visits it.
(function (kernel) {
  'use strict';
  const { apply, TypeError } = kernel;
  const map = kernel.uncurry(Iterator.prototype.map);
  const { iterator } = Symbol;

  const isObject = (value) => typeof value === 'object' && value !== null || typeof value === 'function';
  const mustBeObject = (value) => {
    if (!isObject(value)) throw new TypeError('not an object');
    return value;
  };

  const { concat } = {
    concat(...iterables) {
      const methods = kernel.list();
      for (let i = 0; i < iterables.length; i++) {
        const method = mustBeObject(iterables[i])[iterator];
        if (typeof method !== 'function') throw new TypeError('not a function');
        kernel.append(methods, method);
      }
      let at = 0, inner, next;

      // The engine wraps this in an iterator helper: next and return are never nested, and next is not called after
      // return. If next throws, the engine may still call both.
      const all = {
        __proto__: null,
        next() {
          const { length } = methods;
          const begun = at;
          at = length; // in case something throws
          for (let i = begun; i < length; i++) {
            if (inner === undefined) {
              const fresh = mustBeObject(apply(methods[i], iterables[i], []));
              next = fresh.next;
              inner = fresh;
            }
            const current = inner;
            inner = undefined;
            const result = mustBeObject(apply(next, current, []));
            if (!result.done) {
              const { value } = result;
              inner = current;
              at = i;
              return { __proto__: null, done: false, value };
            }
            methods[i] = iterables[i] = undefined;
          }
          return { __proto__: null, done: true, value: undefined };
        },
        return() {
          const current = inner;
          inner = undefined;
          at = methods.length;
          const close = current?.return;
          if (close !== undefined && close !== null) mustBeObject(apply(close, current, []));
          return { __proto__: null, done: true, value: undefined };
        },
      };
      return map(all, (value) => value);
    },
  };

  // A bound function shows no source, as the functions of the language show none.
  const shown = concat.bind(undefined);
  kernel.defineProperty(shown, 'name', { __proto__: null, value: 'concat' });
  kernel.define('concat', shown, Iterator);
})
