const YAML = require('yaml');
const text = 'base: &b {x: 1, y: [1, 2]}\nown:\n  <<: *b\n  y: 3 # three\nmulti: |\n  one\n  two\nwhen: 2024-01-02\n';
const doc = YAML.parseDocument(text);
doc.setIn(['own', 'z'], ['a', { b: null }]);
let failed;
try { YAML.parse('a: [1, 2'); } catch (error) { failed = [error.name, error.code]; }
return JSON.stringify([
  YAML.parse(text, { merge: true }), String(doc), YAML.stringify({ a: ['x: y', 'long '.repeat(20)], d: new Date(0) }),
  YAML.parseAllDocuments('a: 1\n---\nb: 2').length, failed,
]);
