// A function that the prelude calls looks at who called it, and with what.
// ends: returns TypeError,TypeError
const got = [];
const spy = {
  toString() {
    for (const name of ['caller', 'arguments']) {
      try {
        got.push(typeof spy.toString[name]);
      } catch (error) {
        got.push(error.name);
      }
    }
    return 'x';
  },
};
console.count(spy);
return got.slice(0, 2).join();
