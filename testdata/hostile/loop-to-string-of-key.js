// A property key is an object whose toString does not come back.
// ends: time limit
const key = {
  toString() {
    do {} while (true);
  },
};
return { ['a' + 1]: 1 }[key];
