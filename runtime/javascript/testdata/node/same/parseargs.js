// util.parseArgs: what it gives and throws.
const { parseArgs, inspect } = require('util');
const answers = {};
const ask = (label, config) => {
  try {
    answers[label] = inspect(parseArgs(config), { depth: 5 });
  } catch (e) {
    answers[label] = `${e.name} ${e.code}: ${e.message}`;
  }
};
const options = {
  help: { type: 'boolean', short: 'h' }, file: { type: 'string', short: 'f' },
  all: { type: 'boolean', short: 'a', default: true },
  list: { type: 'string', short: 'l', multiple: true, default: ['x'] },
  verbose: { type: 'boolean', short: 'v', multiple: true }, 'no-color': { type: 'boolean' },
};
const lists = [
  [], ['-h'], ['--help'], ['-f', 'a'], ['-fa'], ['--file', 'a'], ['--file=a'], ['--file='],
  ['-f'], ['--file'], ['-f', '-h'], ['--file', '--help'], ['--file', '-'],
  ['-hfa'], ['-hf', 'a'], ['-vvv'], ['-vhv', 'pos'], ['-l', '1', '--list=2', '-l3'],
  ['--help=yes'], ['-x'], ['--what'], ['--what=5'], ['-xyz'], ['pos', '-h', 'more'],
  ['--', '-h', '--', 'x'], ['-h', '--', 'a'], ['-'], [''], ['--no-help'], ['--no-file'],
  ['--no-color'], ['--no-no-color'], ['--no-what'], ['--__proto__'], ['--=x'], ['--a=b=c'], ['-f=a'],
  ['--file', 'a', '--file', 'b'], ['--no-verbose', '-v'], ['-h-'], ['---x'], ['-é'],
];
for (const args of lists) {
  for (const [mode, more] of Object.entries({
    plain: {}, positionals: { allowPositionals: true }, loose: { strict: false, tokens: true },
    negative: { allowNegative: true, allowPositionals: true, tokens: true },
    'loose negative': { allowNegative: true, strict: false },
  })) ask(`${mode} ${JSON.stringify(args)}`, { args, options, ...more });
}
for (const [label, config] of Object.entries({
  'no arguments': { args: ['a'] }, 'strict of another type': { args: [], strict: 1 },
  'args of another type': { args: 'x' }, 'options of another type': { args: [], options: [] },
  'an option of another type': { args: [], options: { a: 1 } }, 'no type': { args: [], options: { a: {} } },
  'another type': { args: [], options: { a: { type: 'number' } } },
  'short': { args: [], options: { a: { type: 'string', short: 'ab' } } },
  'short of another type': { args: [], options: { a: { type: 'string', short: 1 } } },
  'multiple': { args: [], options: { a: { type: 'string', multiple: 'x' } } },
  'default': { args: [], options: { a: { type: 'string', default: 1 } } },
  'default of many': { args: [], options: { a: { type: 'boolean', multiple: true, default: true } } },
  'defaults of many': { args: [], options: { a: { type: 'boolean', multiple: true, default: [1] } } },
  'text defaults of many': { args: [], options: { a: { type: 'string', multiple: true, default: ['a', 1] } } },
  tokens: { args: [], tokens: 'x' }, negative: { args: [], allowNegative: 'x' },
  'undefined default': { args: [], options: { a: { type: 'string', default: undefined } } },
  'loose without options': { args: ['-abc', 'd', '--e=f', '--', 'g'], strict: false },
  'inherited': Object.create({ args: ['x'], strict: false }),
})) ask(label, config);
module.exports = answers;
