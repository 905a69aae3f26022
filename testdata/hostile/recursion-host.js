// A function of the host is given an object that calls it again when it is looked at.
// ends: exception RangeError
const object = {
  toJSON() {
    return echo(object);
  },
};
return echo(object);
