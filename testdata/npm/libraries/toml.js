const toml = require('toml');
let failed;
try { toml.parse('a = '); } catch (error) { failed = [error.line, error.column]; }
return JSON.stringify([toml.parse(
  'title = "T"\n[owner]\nborn = 1979-05-27T07:32:00Z\n[[p]]\nn = 1\nlist = [ [1, 2], ["a"] ]\n[[p]]\nn = 31\nf = 1e3\n'),
    failed]);
