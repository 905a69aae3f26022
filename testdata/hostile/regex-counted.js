// Counted repetitions of counted repetitions.
// ends: time limit
return /^(?:(?:a{1,30}){1,30}){1,30}$/.test('a'.repeat(200) + 'b');
