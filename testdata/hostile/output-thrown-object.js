// What is thrown is a tree without an end.
// ends: time limit or memory limit
throw new Proxy({}, {
  ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }),
    get: (t, name, self) => (name === 'a' ? [self, {}].concat(Array(1e6).fill({})) : undefined),
});
