// The same by name, without regard to case, where each comparison folds both texts.
// ends: time limit
return /^(?<one>.+)(?<two>.+)\k<two>\k<one>$/iu.test('aé'.repeat(5000) + 'b');
