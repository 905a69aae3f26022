// A prototype chain is a hundred thousand objects long, and its last getter is called.
// ends: returns found
let object = {
  get value() {
    return 'found';
  },
};
for (let i = 0; i < 1e5; i++) object = Object.create(object);
return object.value;
