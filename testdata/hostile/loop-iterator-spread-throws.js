// An iterator without end whose return method hangs is taken apart by destructuring.
// ends: time limit
const endless = {
  [Symbol.iterator]: () => ({
    next: () => ({ value: 1, done: false }),
    return() {
      for (;;) {}
    },
  }),
};
const [first] = endless;
return first;
