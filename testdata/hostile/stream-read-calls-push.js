// A Readable pushes more whenever it is asked, and at once.
// ends: memory limit or time limit or recursion limit or exception
const { Readable } = require('stream');
const stream = new Readable({ read() { while (true) this.push('x'.repeat(1000)); } });
stream.on('data', () => {});
