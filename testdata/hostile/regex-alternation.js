// Alternatives that overlap are tried in each combination.
// ends: time limit
return /^(a|aa|aaa|a?)+$/.test('a'.repeat(60) + '!');
