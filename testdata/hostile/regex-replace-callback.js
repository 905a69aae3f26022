// The callback of replace starts the next search, and so on.
// ends: exception RangeError
return 'a'.replace(/a/, function again(match) {
  return match.replace(/a/, again);
});
