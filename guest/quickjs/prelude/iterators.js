// Iterator.concat is done here: the engine's own uses freed memory where an iterable uses the iterator that goes through it.
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

      // The engine makes an iterator helper of it, which sees to it that neither is called while the other one is, and that next is not
      // called after return. If next throws, the engine may call both all the same.
      const all = {
        __proto__: null,
        next() {
          const { length } = methods;
          const begun = at;
          at = length; // for the case that something throws
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
  kernel.define('concat', concat, Iterator);
})
