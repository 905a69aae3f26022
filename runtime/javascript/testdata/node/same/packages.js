// Packages: which file a name means for require and import, and what modules of both kinds get of each other.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { inspect } = require('util');
const { createRequire } = require('module');

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'packages-'));
const write = (files) => {
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(`${root}/${name}`), { recursive: true });
    fs.writeFileSync(`${root}/${name}`, typeof content === 'string' ? content : JSON.stringify(content));
  }
};
const cjs = 'module.exports = __filename';
const esm = 'export default import.meta.url.slice(7)'; // without file://
const pkg = (name, manifest, ...files) => {
  const all = { [`node_modules/${name}/package.json`]: { name, ...manifest } };
  for (const file of files) all[`node_modules/${name}/${file}`] = file.endsWith('.mjs')
    ? esm : file.endsWith('.json') ? { json: 1 } : cjs;
  write(all);
};

pkg('main', { main: './lib/start' }, 'lib/start.js', 'index.js', 'sub.js', 'dir/index.js', 'data.json');
pkg('main-dir', { main: 'lib' }, 'lib/index.js', 'index.js');
pkg('main-none', {}, 'index.js');
pkg('main-missing', { main: 'nothing.js' }, 'index.js');
pkg('main-module', { main: 'c.js', module: 'm.mjs', browser: 'b.js' }, 'c.js', 'm.mjs', 'b.js');
pkg('browser-map', { main: 'c.js', browser: { './c.js': './b.js' } }, 'c.js', 'b.js');
pkg('cond', { exports: { node: './n.cjs', browser: './b.cjs', default: './d.cjs' } }, 'n.cjs', 'b.cjs', 'd.cjs');
pkg('cond-late', { exports: { browser: './b.cjs', default: './d.cjs', node: './n.cjs' } }, 'n.cjs', 'b.cjs', 'd.cjs');
pkg('cond-form', { exports: { import: './m.mjs', require: './c.cjs' } }, 'm.mjs', 'c.cjs');
pkg('cond-order', { exports: { require: './c.cjs', default: './m.mjs', import: './no.mjs' } }, 'm.mjs', 'c.cjs');
pkg('cond-deep', { exports: {
  '.': { node: { worker: './w.cjs', import: './m.mjs', require: './c.cjs' }, default: './d.cjs' },
} }, 'm.mjs', 'c.cjs', 'd.cjs');
pkg('cond-none', { exports: { node: { deno: './x.cjs' }, default: './d.cjs' } }, 'd.cjs');
pkg('cond-sync', { exports: { 'module-sync': './m.mjs', default: './c.cjs' } }, 'm.mjs', 'c.cjs');
pkg('list', { exports: [{ deno: './x.cjs' }, './d.cjs', './e.cjs'] }, 'd.cjs', 'e.cjs');
pkg('patterns', {
  exports: {
    './f/*.js': './deep/*.cjs', './f/*': './flat/*.cjs', './f/x/*': './x/*.cjs',
    './exact': './deep/a.cjs', './f/none/*': null, './b/*/z': './deep/*.cjs',
    './twice/*': './deep/*/*.cjs',
  },
}, 'deep/a.cjs', 'flat/a.cjs', 'flat/a.js.cjs', 'x/a.cjs', 'deep/p/q.cjs', 'deep/a/a.cjs');
pkg('@scope/p', { exports: { '.': './i.cjs', './sub/*': './lib/*.cjs' } }, 'i.cjs', 'lib/s.cjs');
pkg('self', { exports: { '.': './i.cjs', './part': './p.cjs' } }, 'p.cjs');
write({ 'node_modules/self/i.cjs': "module.exports = [require('self/part'), require.resolve('self')]" });
pkg('private', {
  imports: { '#a': './a.cjs', '#b/*': './deep/*.cjs', '#form': { import: './m.mjs', require: './a.cjs' },
    '#other': 'main/sub.js', '#none': null },
}, 'a.cjs', 'deep/x.cjs', 'm.mjs');
write({
  'node_modules/private/index.js': `
    exports.names = ['#a', '#b/x', '#form', '#other'].map((name) => require(name));
    exports.form = () => import('#form');`,
});
pkg('order', {}, 'a.js', 'a.mjs', 'a.json', 'b.json', 'b/index.js', 'c/index.js', 'c.mjs', 'd.js/index.js');
pkg('nested', {}, 'index.js', 'node_modules/main/index.js');
write({ 'node_modules/nested/index.js': "module.exports = [require('main'), require('main-none')]" });
pkg('punycode', {}, 'index.js');
pkg('type-module', { type: 'module', exports: './x.js' });
write({
  'node_modules/type-module/x.js': 'export const a = 1; export default function f() {}',
  'plain.js': cjs,
  'data.json': '\uFEFF{"b": [1, {"c": null}]}',
  'bad.json': '{"b": }',
  'named.cjs': 'exports.one = 1; exports.two = () => 2; exports.default = 3',
  'transpiled.cjs':
    "Object.defineProperty(exports, '__esModule', {value: true}); exports.default = class D {}; exports.other = 1",
  'function.cjs': 'module.exports = function main() {}; module.exports.extra = 1',
  'primitive.cjs': 'module.exports = 42',
  'this.cjs': "module.exports = [this === exports, this === module.exports, arguments.length, typeof require, module.id === __filename, require.main === module]",
  'throws.cjs': "globalThis.threw = (globalThis.threw ?? 0) + 1; throw new RangeError('thrown ' + globalThis.threw)",
  'default.mjs': 'export default 1',
  'names.mjs': 'export const x = 1; export let y = 2; export const setY = (v) => { y = v }',
  'both.mjs': 'export const x = 1; export default { d: 1 }',
  'compiled.mjs': 'export const __esModule = true; export const x = 1; export default 5',
  'own.mjs': "export { f as 'module.exports' }; function f() { return 'own' } export const g = 1",
  'empty.mjs': '',
  'throws.mjs': "export const x = 1; throw new RangeError('from a module')",
  'waits.mjs': 'export const x = await 1',
  'imports-waits.mjs': "import './waits.mjs'; export default 1",
  'no-export.mjs': "import { missing } from './names.mjs'; export default missing",
  'syntax.mjs': 'export default (',
  'imports-cjs.mjs':
    "import named, { one } from './named.cjs'; import * as all from './transpiled.cjs'; export default [named, one, all.other]",
  'cycle-a.cjs': "exports.early = 1; const b = require('./cycle-b.cjs'); exports.seen = b.seen; exports.late = 2",
  'cycle-b.cjs': "const a = require('./cycle-a.cjs'); exports.seen = Object.keys(a)",
  'cycle-a.mjs': "import { b } from './cycle-b.mjs'; export function a() { return 'a' } export const result = b()",
  'cycle-b.mjs': "import { a } from './cycle-a.mjs'; export function b() { return 'b' + a() }",
  'mixed-a.mjs': "import b from './mixed-b.cjs'; export const a = 1; export default b",
  'mixed-b.cjs':
    "let code; try { require('./mixed-a.mjs') } catch (error) { code = error.code } module.exports = { code }",
  'parent.cjs': "module.exports = { child: require('./child.cjs'), children: module.children.map((m) => m.id), parent: typeof module.parent }",
  'child.cjs': 'module.exports = [module.parent.filename, module.paths.slice(0, 2), module.path, module.loaded]',
});

const answers = {};
const show = (value) => (typeof value === 'string' ? value : inspect(value, { depth: 4 })).replaceAll(root, '');
const failure = (error) => `${error.name} ${error.code}`.replaceAll(root, '');
const require2 = createRequire(`${root}/script.js`);
const answer = (label, f) => {
  try {
    answers[label] = show(f());
  } catch (error) {
    answers[label] = failure(error);
  }
};
const importing = async (label, specifier, f = (namespace) => namespace.default) => {
  try {
    answers[label] = show(f(await import(specifier)));
  } catch (error) {
    answers[label] = failure(error);
  }
};

module.exports = (async () => {
  write({ 'import.mjs': 'export default (name) => import(name)' });
  const { default: imported } = await import(`${root}/import.mjs`);
  const names = [
    'main', 'main/sub', 'main/sub.js', 'main/dir', 'main/data', 'main/data.json',
    'main/', 'main-dir', 'main-none', 'main-missing', 'main-module',
    'browser-map', 'cond', 'cond-late', 'cond-form', 'cond-order', 'cond-deep', 'cond-none',
    'cond-sync', 'list', 'patterns/f/a.js', 'patterns/f/a',
    'patterns/f/x/a', 'patterns/exact', 'patterns/b/a/z', 'patterns/b/p/q/z', 'patterns/twice/a',
    '@scope/p', '@scope/p/sub/s', 'order/a', 'order/b',
    'order/c/', 'order/d.js', 'punycode/', './plain', './plain.js', './data.json',
  ];
  for (const name of names) {
    answer(`require ${name}`, () => require2(name));
    answer(`resolve ${name}`, () => require2.resolve(name));
  }
  for (const name of ['main', 'cond', 'cond-late', 'cond-form', 'cond-order', 'cond-deep',
    'cond-none', 'cond-sync', 'list', 'patterns/f/a.js', 'patterns/exact',
    '@scope/p', '@scope/p/sub/s', 'main-module', 'main-none', 'self']) {
    try {
      answers[`import ${name}`] = show((await imported(name)).default);
    } catch (error) {
      answers[`import ${name}`] = failure(error);
    }
  }
  for (const name of ['nothing', './nothing', 'main/nothing', '#a', 'node:nothing',
    './bad.json', './throws.cjs', './throws.cjs ', './waits.mjs',
    './imports-waits.mjs', './throws.mjs', './no-export.mjs', './syntax.mjs']) {
    answer(`failing ${name}`, () => require2(name.trim()));
  }
  answer('self', () => require2('self'));
  answer('private', () => require2('private'));
  answers['private, imported'] = show((await require2('private').form()).default);
  answer('nested', () => require2('nested'));
  answer('builtin', () => [require2('node:punycode') === require2('punycode'),
    require2('punycode/') === require2('punycode'), require2.resolve('fs'), require2.resolve('node:fs')]);

  // require of ES modules
  for (const name of [
    'default', 'names', 'both', 'compiled', 'own', 'empty', 'imports-cjs', 'cycle-a', 'cycle-b', 'mixed-a',
  ]) {
    answer(`require ${name}.mjs`, () => {
      const value = require2(`./${name}.mjs`);
      return [
        value, typeof value === 'object' && Object.prototype.toString.call(value), require2(`./${name}.mjs`) === value,
      ];
    });
  }
  answer('type module', () => require2('type-module'));
  answer('a live binding', () => {
    const value = require2('./names.mjs');
    value.setY(3);
    return value.y;
  });
  await importing('the same namespace', `${root}/names.mjs`,
    (namespace) => [namespace === require2('./names.mjs'), namespace.y]);
  await importing('the same default', `${root}/both.mjs`,
    (namespace) => [namespace === require2('./both.mjs'), namespace.default === require2('./both.mjs').default]);

  // import of CommonJS
  for (const name of ['named', 'function', 'primitive', 'this'])
    await importing(`import ${name}.cjs`, `${root}/${name}.cjs`);
  await importing('names of CommonJS', `${root}/named.cjs`, ({ one, two }) => [one, two()]);
  await importing('the same module', `${root}/function.cjs`,
    (namespace) => namespace.default === require2('./function.cjs'));

  // module objects
  answer('cycle', () => [require2('./cycle-a.cjs'), require2('./cycle-b.cjs')]);
  answer('parents', () => require2('./parent.cjs'));
  answer('cache', () => {
    const file = require2.resolve('./cycle-b.cjs');
    const { id, filename, loaded, exports, path: dir, paths } = require2.cache[file];
    const first = require2('./cycle-b.cjs');
    delete require2.cache[file];
    const again = require2('./cycle-b.cjs');
    require2.cache[file] = { exports: 'mocked' };
    return [id, filename, loaded, exports === first, again === first, again, require2('./cycle-b.cjs'), dir, paths[0]];
  });
  answer('a failed module is not kept', () => require2.resolve('./throws.cjs') in require2.cache);
  answer('module', () => {
    const Module = require2('module');
    const module = new Module('/x/y.js');
    return [Module === Module.Module, Module._cache === require2.cache, Module.wrap('x'),
      module instanceof Module, Module.isBuiltin('node:fs'), Module.isBuiltin('nothing'),
      Module.builtinModules.includes('fs'), Module._nodeModulePaths('/a/node_modules/b'),
        module.id, module.exports, module.children, module.loaded];
  });
  answer('compile', () => {
    const Module = require2('module');
    const module = new Module(`${root}/made.js`);
    module._compile('exports.a = [__filename, __dirname, typeof require("fs")]', `${root}/made.js`);
    return module.exports;
  });
  answer('paths', () => [require2.resolve.paths('fs'), require2.resolve.paths('./x'), require2.resolve.paths('x')[0]]);
  fs.rmSync(root, { recursive: true });
  return answers;
})();
