// A function has a hundred thousand variables, each of which is looked up by name among those before it.
// ends: time limit or exception or memory limit
let text = '';
for (let i = 0; i < 1e5; i++) text += `let v${i} = ${i};`;
return eval(text);
