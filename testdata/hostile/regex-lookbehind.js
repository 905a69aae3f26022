// A lookbehind goes back over the same text in all ways in which nested quantifiers can divide it.
// ends: time limit
return /(?<=^(?:a+)+)c/.test('b' + 'a'.repeat(50) + 'c');
