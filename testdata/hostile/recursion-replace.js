// The callback of replace replaces with itself.
// ends: exception RangeError
'a'.replace('a', function again() {
  return 'a'.replace('a', again);
});
