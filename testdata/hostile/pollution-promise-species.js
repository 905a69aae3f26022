// The species of promises makes something that is none.
// ends: returns done
Object.defineProperty(Promise, Symbol.species, {
  get() {
    return function (executor) {
      executor(() => {}, () => {});
    };
  },
});
await fs.writeFile('/a', 'x');
await later(1);
return 'done';
