// The method toJSON makes JSON of the object that it is called on.
// ends: exception RangeError
const object = {
  toJSON() {
    return JSON.stringify(this);
  },
};
return JSON.stringify(object);
