// A getter clones the object that it belongs to.
// ends: exception
const object = {
  get value() {
    return structuredClone(this);
  },
};
structuredClone(object);
