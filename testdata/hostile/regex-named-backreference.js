// Backreferences by name have to be compared without regard to case, for each way in which the groups could have matched.
// ends: time limit
return /^(?<one>.+)(?<two>.+)\k<two>\k<one>$/iu.test('aé'.repeat(5000) + 'b');
