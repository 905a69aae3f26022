// A thenable resolves with another thenable, and so on.
// ends: time limit
const thenable = () => ({
  then(resolve) {
    resolve(thenable());
  },
});
await thenable();
