const yaml = require('js-yaml');
let failed;
try { yaml.load('a: [1, 2'); } catch (error) { failed = [error.name, error.reason]; }
return JSON.stringify([
  yaml.load('a: &x 1\nlist:\n  - *x\n  - {y: 2.5, d: 2024-01-02}\ntext: >\n  folded\n  text\n'),
  yaml.dump({ b: ['c', { d: null }], long: 'x: y', date: '2024-01-01' }), failed,
]);
