// The constructor for the result of a native method calls the method.
// ends: exception RangeError
class Again extends Array {
  static get [Symbol.species]() {
    return function () {
      return new Again(1).map((x) => x);
    };
  }
}
new Again(1).map((x) => x);
