// The method toJSON, which the console calls, writes the object to the console.
// ends: returns undefined
const object = {
  toJSON() {
    console.log(this);
    return 1;
  },
};
console.log(object);
