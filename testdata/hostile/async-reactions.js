// One promise has a hundred thousand reactions, each of which adds two.
// ends: time limit or memory limit
const { promise, resolve } = Promise.withResolvers();
const react = () => {
  promise.then(react);
  promise.then(react);
};
for (let i = 0; i < 1e4; i++) promise.then(react);
resolve();
await new Promise(() => {});
