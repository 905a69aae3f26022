// A promise that is resolved with itself could wait for ever.
// ends: exception TypeError
let resolve;
const promise = new Promise((r) => (resolve = r));
resolve(promise);
await promise;
