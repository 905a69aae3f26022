// A quantifier repeats what matches nothing two billion times, and each time leaves a state to come back to.
// ends: exception InternalError
return /^(?:a{0,0}|b??){2147483647}$/.test('');
