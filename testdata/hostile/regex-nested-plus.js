// The classic: nested quantifiers have 2**40 ways to fail.
// ends: time limit
return /^(a+)+$/.test('a'.repeat(40) + 'b');
