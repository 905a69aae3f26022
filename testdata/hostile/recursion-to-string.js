// The method toString converts the object that it is called on.
// ends: exception RangeError
const object = {
  toString() {
    return '' + this;
  },
};
return '' + object;
