// An iterator is made by going through the object that it is for.
// ends: exception RangeError
const object = {
  [Symbol.iterator]() {
    return [...this].values();
  },
};
return [...object];
