// A getter writes to the console the object whose getter it is.
// ends: returns undefined
const object = {
  get value() {
    console.log(object);
    return 1;
  },
};
console.log(object);
