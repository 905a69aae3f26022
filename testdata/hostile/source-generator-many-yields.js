// A generator has a hundred thousand places to go on from.
// ends: time limit or memory limit or exception
const many = new Function('return function* () {' + 'yield 1;'.repeat(1e5) + '}')();
for (;;) for (const value of many());
