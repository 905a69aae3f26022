// Counted groups inside of counted groups, which the compiler doubles at each level.
// ends: exception SyntaxError
return new RegExp('(?:'.repeat(20) + 'a{2,3}' + '){2,3}'.repeat(20)).test('b');
