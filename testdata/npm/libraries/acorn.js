const acorn = require('acorn');
const ast = acorn.parse('const f = async ({a, ...b}) => a?.b ?? `x${1n}`; export default class { #p = 1 }',
  { ecmaVersion: 'latest', sourceType: 'module', locations: true });
let failed;
try { acorn.parse('let x =', { ecmaVersion: 2020 }); } catch (error) { failed = [error.message, error.loc]; }
return JSON.stringify([
  JSON.stringify(ast, (k, v) => (typeof v === 'bigint' ? `${v}n` : v)).length, ast.body.map((n) => n.type),
  [...acorn.tokenizer('a+1', { ecmaVersion: 2020 })].map((t) => t.type.label), failed,
]);
