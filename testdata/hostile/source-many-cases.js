// A switch has a hundred thousand cases, each with a block of its own.
// ends: time limit or memory limit or exception
let text = 'switch (x) {';
for (let i = 0; i < 1e5; i++) text += `case ${i}: { let y = ${i}; break }`;
const long = new Function('x', text + '}');
for (;;) long(1e5);
