const { minify } = require('terser');
const source = 'function add(first, second) { const unused = 1; if (false) { x() } return first + second } console.log(add(1, 2)); export { add as plus }';
const { code, map } = await minify({ 'a.js': source }, { module: true, sourceMap: true });
let failed;
try { await minify('let = ;'); } catch (error) { failed = [error.name, error.message, error.line, error.col]; }
return JSON.stringify([
  code, JSON.parse(map).mappings, (await minify('var a = class { get x() { return a?.b ** 2 } }',
    { mangle: false, compress: false })).code, failed,
]);
