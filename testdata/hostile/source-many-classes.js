// A class has a hundred thousand private names, each of which must not be there twice.
// ends: time limit or exception or memory limit
let text = 'return class {';
for (let i = 0; i < 1e5; i++) text += `#p${i};`;
return new Function(text + '}');
