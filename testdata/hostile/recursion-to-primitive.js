// A conversion to a number compares the object with itself.
// ends: exception RangeError
const object = {
  [Symbol.toPrimitive](hint) {
    return this < 1 || hint;
  },
};
return +object;
