// Shows errors whose stacks name a thousand positions at the end of a line of millions.
// ends: returns done
fs.writeFileSync('/m.js', 'module.exports = () => new Error("x"); // ' + 'é'.repeat(3 << 20));
const error = require('/m.js')();
error.stack = 'at f (/m.js:1:6000000)\n'.repeat(1400);
for (let i = 0; i < 8; i++) console.log(error);
return 'done';
