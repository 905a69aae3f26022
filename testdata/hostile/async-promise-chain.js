// A promise is resolved with a promise that is resolved with a promise: a chain of hundreds of thousands, settled at its far end.
// ends: time limit or memory limit or returns done
let settle;
let promise = new Promise((resolve) => (settle = resolve));
for (let i = 0; i < 5e4; i++) {
  const inner = promise;
  promise = new Promise((resolve) => resolve(inner));
}
settle('done');
return promise;
