// readline on streams, and module.
'use strict';
const readline = require('readline');
const { Readable, PassThrough } = require('stream');
const { createRequire, isBuiltin } = require('module');
const { inspect } = require('util');
const { once } = require('events');

const answers = {};
const answer = async (name, f) => {
  try {
    answers[name] = inspect(await f(), { depth: 4, breakLength: 100 });
  } catch (error) {
    answers[name] = `${error.name} ${error.code} ${error.message}`;
  }
};
const linesOf = async (chunks) => {
  const lines = [];
  for await (const line of readline.createInterface({ input: Readable.from(chunks), crlfDelay: Infinity }))
    lines.push(line);
  return lines;
};

module.exports = (async () => {
  const inputs = [['a\nb\nc'], ['a\n', 'b'], ['a\r\nb\rc\n'], ['a\r', '\nb'], ['', ''],
    ['\n\n'], ['ab', 'cd\ne', 'f'], [Buffer.from('é€').subarray(0, 3), Buffer.from('é€').subarray(3)], ['x\u2028y']];
  for (const input of inputs) await answer(inspect(input), () => linesOf(input));
  await answer('events', async () => {
    const log = [];
    const rl = readline.createInterface({ input: Readable.from(['one\ntwo\nthree']) });
    for (const type of ['line', 'pause', 'close'])
      rl.on(type, (line) => log.push(line === undefined ? type : `${type} ${line}`));
    await once(rl, 'close');
    return [log, rl.terminal];
  });
  await answer('close early', async () => {
    const log = [];
    const rl = readline.createInterface(Readable.from(['one\n', 'two\n']));
    rl.on('line', (line) => { log.push(line); rl.close(); });
    await once(rl, 'close');
    return log;
  });
  await answer('prompts', () => {
    const output = new PassThrough();
    const rl = readline.createInterface({ input: new PassThrough(), output, prompt: '? ' });
    rl.prompt();
    rl.setPrompt('! ');
    rl.prompt();
    const text = String(output.read());
    rl.close();
    return [text, rl.getPrompt()];
  });
  await answer('after close', () => {
    const rl = readline.createInterface({ input: new PassThrough() });
    rl.close();
    rl.prompt();
  });
  await answer('createRequire', () => [
    typeof createRequire('/x/y.js')('path').join, typeof createRequire('file:///x/y.js')('node:fs').readFile,
  ]);
  await answer('createRequire of nonsense', () => createRequire('x.js'));
  await answer('isBuiltin', () => [
    'fs', 'node:fs', 'path', 'nothing', 'node:nothing', 'fs/promises',
  ].map((name) => isBuiltin(name)));
  return answers;
})();
