// The constructor of promises, which the engine asks for at each await of one, is a getter that throws.
// ends: exception Error
Object.defineProperty(Promise.prototype, 'constructor', {
  get() {
    throw new Error('constructor');
  },
});
globalThis.Promise = null;
await later(1);
