// What looks like an array says that it has more elements than there are numbers.
// ends: time limit or memory limit
console.log(new Proxy([], {
  get: (target, name) => (name === 'length' ? Infinity : name === 'toJSON' ? undefined : 0),
}));
