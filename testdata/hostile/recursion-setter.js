// A setter writes to itself.
// ends: exception RangeError
const object = {
  set value(v) {
    this.value = v + 1;
  },
};
object.value = 1;
