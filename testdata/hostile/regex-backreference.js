// A backreference has to be compared for each way in which the group could have matched.
// ends: time limit
return /^(.*)(.*)(.*)\1\2\3x$/.test('a'.repeat(3000));
