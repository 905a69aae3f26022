// Two getters ask each other.
// ends: exception RangeError
const object = {
  get left() {
    return this.right;
  },
  get right() {
    return this.left;
  },
};
return object.left;
