// Each bracket is looked through to its end, to find out whether it is a pattern.
// ends: exception or time limit
let text = 'a';
for (let i = 0; i < 3000; i++) text = '[' + text + ', ' + 'b,'.repeat(100) + ']';
return eval(text + ' = 1');
