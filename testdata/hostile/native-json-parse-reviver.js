// The reviver puts a new array behind the element that it is at, so that there is always more to revive.
// ends: exception RangeError
JSON.parse('[0, 0]', function (key, value) {
  if (key === '0') this[1] = [0, 0];
  return value;
});
