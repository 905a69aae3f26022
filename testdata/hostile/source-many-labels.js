// Thousands of labels stand in front of a loop, and a break looks for the first one.
// ends: exception or time limit or memory limit
let text = '';
for (let i = 0; i < 40000; i++) text += `l${i}: `;
return eval(text + 'for (;;) break l0');
