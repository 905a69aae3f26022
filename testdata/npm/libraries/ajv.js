const Ajv = require('ajv');
const ajv = new Ajv({ allErrors: true });
const check = ajv.compile({
  type: 'object', required: ['a'],
  properties: { a: { type: 'integer', minimum: 2 }, list: { type: 'array', items: { $ref: '#/$defs/x' },
    uniqueItems: true } },
  additionalProperties: false, $defs: { x: { type: 'string', pattern: '^x' } },
});
return JSON.stringify([check({ a: 3, list: ['x1'] }), check({ a: 1, b: 2, list: ['x', 'x', 'y'] }),
  ajv.errorsText(check.errors)]);
