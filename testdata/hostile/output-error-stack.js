// An error has a stack of millions of lines that the script has written.
// ends: time limit or memory limit
const error = new Error('made up');
Object.defineProperty(error, 'stack', { value: '    at f (script.js:1:1)\n'.repeat(5e5) });
for (;;) console.error(error);
