// Promises that hang on one another by their reactions are dropped.
// ends: time limit or memory limit
for (;;) {
  let promise = new Promise(() => {});
  for (let i = 0; i < 2e4; i++) promise = promise.then(() => {});
}
