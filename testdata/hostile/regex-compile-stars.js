// Groups with a star inside of each other are doubled, too, so that eighty characters become more than memory has room for.
// ends: exception SyntaxError
return new RegExp('(?:'.repeat(80) + 'ab'.repeat(1000) + ')+'.repeat(80)).test('b');
