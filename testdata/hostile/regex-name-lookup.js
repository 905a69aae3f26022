// Each of thousands of named groups is looked for among all the others, twice.
// ends: time limit or exception SyntaxError
let source = '';
for (let i = 0; i < 250; i++) source += `(?<group${i}>a)?\\k<group${249 - i}>`;
for (;;) new RegExp(source).test('aaaa');
