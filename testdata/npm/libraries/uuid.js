const { v1, v3, v4, v5, v7, validate, version, parse, stringify, NIL } = require('uuid');
const id = v4();
return JSON.stringify([
  v5('example.org', v5.DNS), v3('example.org', v3.DNS), validate(id), version(id), version(v1()), version(v7()),
  stringify(parse(NIL)),
  v4({ random: Uint8Array.from({ length: 16 }, (_, i) => i) }), new Set(Array.from({ length: 100 }, () => v4())).size,
]);
