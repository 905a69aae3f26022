// A comparison sorts with itself.
// ends: exception RangeError
[1, 2].sort(function compare() {
  [1, 2].sort(compare);
});
