// Array.from called on a class that keeps nothing copies for ever without using memory.
// ends: time limit
class Sink {
  constructor() {
    return new Proxy({}, { defineProperty: () => true });
  }
}
Array.from.call(Sink, { length: 2 ** 53 - 1 });
