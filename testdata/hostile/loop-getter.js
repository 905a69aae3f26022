// A property is read whose getter does not come back.
// ends: time limit
const object = {
  get value() {
    while (object) {}
  },
};
return object.value;
