// A getter reads itself.
// ends: exception RangeError
const object = {
  get value() {
    return this.value;
  },
};
return object.value;
