// A set is compared with something that only says that it is a set, and whose members never end.
// ends: time limit
const endless = {
  size: 1,
  has: () => true,
  keys: () => ({ next: () => ({ done: false, value: 1 }) }),
};
return new Set([1, 2, 3]).isSupersetOf(endless);
