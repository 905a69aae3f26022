// The stack of the error that is thrown is a getter that does not come back.
// ends: time limit
const error = new Error('message');
Object.defineProperty(error, 'stack', {
  get() {
    for (;;) {}
  },
});
throw error;
