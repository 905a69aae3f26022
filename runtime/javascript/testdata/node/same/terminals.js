// readline on streams that stand for terminals: keys, editing, history, completion, questions, and moving the cursor.
'use strict';
const readline = require('readline');
const { Readable, PassThrough } = require('stream');
const { inspect } = require('util');
const { once } = require('events');

const answers = {};
const answer = async (name, f) => {
  try {
    answers[name] = inspect(await f(), { depth: 4, breakLength: 100, maxArrayLength: null });
  } catch (error) {
    answers[name] = `${error.name} ${error.code} ${error.message}`;
  }
};
const open = (options = {}) => {
  const input = new PassThrough();
  const output = new PassThrough();
  const rl = readline.createInterface({ input, output, terminal: true, ...options });
  return { input, output, rl };
};

module.exports = (async () => {
  const typed = ['io.J ', '\n\r\t\x1b\n\x1b\t', '\b\x7f\x1b\b\x1b\x7f', '\x1b\x1b\x1b', '\x1b]',
    '\x01\x0b\x1a', 'a\x1baA\x1bA', '\x1b[2P\x1b[8Q\x1b[5R', '\x1bOP\x1bO2A\x1bOa', '\x1b[11~\x1b[24~\x1b[[A\x1b[[5~',
    '\x1b[A\x1b[B\x1b[H\x1b[F\x1b[Z', '\x1b[1~\x1b[8~\x1b[3$\x1b[5^', '\x1b[20;5~\x1b[1;5H\x1b[1;2D',
      '\x1b[31ma\x1b[200~x\x1b[201~', '\x1b\x1b[A\x1b\x1bOA', '€😀é', '\x1b[1;5'];
  for (const text of typed) {
    await answer(`keys of ${inspect(text)}`, () => {
      const stream = new PassThrough();
      const keys = [];
      readline.emitKeypressEvents(stream);
      stream.on('keypress', (s, key) => { keys.push([s, key]); });
      stream.write(text);
      stream.removeAllListeners('keypress');
      return keys;
    });
  }
  const edits = [['abc\x1b[D\x1b[DX'], ['abc', '\x7f', 'd'], ['one two', '\x17', 'x'],
    ['one two', '\x15'], ['one two\x01', '\x0b'], ['one two\x1bb', '\x1bd'], ['abc\x01\x1b[3~'],
    ['a😀b\x1b[D\x1b[D|'], ['x.y/z\x1bb\x1bb|'], ['foo bar\x1b[1;5D|'], ['one\n', 'two\n', '\x1b[A\x1b[A'],
      ['one\n', 'one\n', 'un', '\x1b[A', '\x1b[B'], ['a\tb'], ['\x04'], ['\x03'], ['ab\x02\x06\x08']];
  for (const texts of edits) {
    await answer(`edit ${inspect(texts)}`, () => {
      const { input, rl } = open();
      const lines = [];
      rl.on('line', (line) => { lines.push(line); });
      for (const text of texts) input.write(text);
      const state = [rl.line, rl.cursor, rl.closed ?? false, rl.history, lines];
      rl.close();
      return state;
    });
  }
  await answer('what is shown', () => {
    const { input, output, rl } = open({ prompt: '$ ' });
    rl.prompt();
    for (const text of ['ab', 'c\x1b[D', 'X', '\n']) input.write(text);
    const shown = String(output.read());
    rl.close();
    return shown;
  });
  await answer('written', () => {
    const { rl } = open();
    const lines = [];
    rl.on('line', (line) => { lines.push(line); });
    rl.write('one\ntwo');
    rl.write(null, { ctrl: true, name: 'u' });
    rl.write('three\n');
    rl.close();
    return lines;
  });
  await answer('written after the end', () => { const { rl } = open(); rl.close(); rl.write('x'); });
  await answer('completion', () => {
    const { input, output, rl } = open({
      completer: (line) => [['help', 'hello'].filter((word) => word.startsWith(line)), line],
    });
    input.write('h\t');
    const first = rl.line;
    input.write('\t');
    const shown = String(output.read());
    rl.close();
    return [first, shown.includes('help'), shown.includes('hello')];
  });
  await answer('history', () => {
    const { input, rl } = open({ history: ['old'], historySize: 2, removeHistoryDuplicates: true });
    const seen = [];
    rl.on('history', (history) => { seen.push([...history]); });
    for (const text of ['a\n', 'b\n', 'a\n']) input.write(text);
    rl.close();
    return seen;
  });
  for (const options of [{ tabSize: 0 }, { completer: 5 }, { history: 'x' }, { historySize: -1 }, { signal: {} }]) {
    await answer(`options ${inspect(options)}`, () => { open(options).rl.close(); });
  }
  await answer('questions', async () => {
    const output = new PassThrough();
    const rl = readline.createInterface({ input: Readable.from(['Ada\n', '36\n', 'rest\n']), output });
    const ask = (question) => new Promise((resolve) => { rl.question(question, resolve); });
    const lines = [];
    rl.on('line', (line) => { lines.push(line); });
    const got = [await ask('Name? '), await ask('Age? ')];
    await once(rl, 'close');
    return [got, lines, String(output.read())];
  });
  await answer('questions with promises', async () => {
    const input = new PassThrough();
    const rl = require('readline/promises').createInterface({ input });
    const name = rl.question('Name? ');
    input.write('Ada\n');
    const got = await name;
    const controller = new AbortController();
    const never = rl.question('?', { signal: controller.signal });
    controller.abort();
    const failed = await never.catch((error) => error.name);
    rl.close();
    return [got, failed];
  });
  await answer('a question after the end', () => { const { rl } = open(); rl.close(); rl.question('?', () => {}); });
  await answer('one iterator', async () => {
    const rl = readline.createInterface({ input: Readable.from(['one\ntwo\nthree\n']) });
    const lines = [];
    for await (const line of rl) {
      lines.push(line);
      for await (const inner of rl) {
        lines.push(inner);
        break;
      }
      break;
    }
    rl.close();
    return [lines, rl[Symbol.asyncIterator]() === rl[Symbol.asyncIterator]()];
  });
  await answer('the cursor', () => {
    const stream = new PassThrough();
    const got = [readline.cursorTo(stream, 3), readline.cursorTo(stream, 3, 4), readline.moveCursor(stream, -1, 2),
      readline.moveCursor(stream, 0, 0), readline.clearLine(stream, -1),
      readline.clearLine(stream, 0), readline.clearLine(stream, 1), readline.clearScreenDown(stream),
        readline.cursorTo(null, 1)];
    return [got, String(stream.read())];
  });
  for (const args of [[NaN], [1, NaN], ['x', 1], [1, 2, 'no function']])
    await answer(`cursorTo(${inspect(args)})`, () => readline.cursorTo(new PassThrough(), ...args));
  return answers;
})();
