// A hundred thousand functions are declared in one block, where each may replace one of the same name.
// ends: time limit or exception or memory limit
let text = '{';
for (let i = 0; i < 1e5; i++) text += `function f${i}(){}`;
return new Function(text + '}');
