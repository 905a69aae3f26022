// fs: wrong arguments, open files in the place of paths, flags, signals, data in parts, and encodings of names.
'use strict';
const fs = require('fs');
const { inspect, promisify } = require('util');

const dir = fs.mkdtempSync('/tmp/same-');
const at = (name) => `${dir}/${name}`;
const hide = (value) => String(value).replaceAll(dir, 'DIR');
const answers = {};
const answer = async (name, f) => {
  try {
    answers[name] = hide(inspect(await f(), { depth: 4, breakLength: 100 }));
  } catch (error) {
    answers[name] = hide(`${error.name} ${error.code} ${error.message}`);
  }
};
// back gives what a function calls back with.
const back = (f, ...args) => new Promise((resolve) => { f(...args, (...values) => { resolve(values); }); });
const codes = async (name, values, f) => {
  for (const value of values) {
    await answer(`${name}(${inspect(value)})`, async () => {
      try {
        return await f(value);
      } catch (error) {
        return `${error.name} ${error.code}`;
      }
    });
  }
};
const never = () => { throw new Error('called back'); };

module.exports = (async () => {
  fs.writeFileSync(at('ten'), '0123456789');
  const odd = [false, 1, {}, [], null];
  for (const value of odd) {
    for (const name of [
      'accessSync', 'readdirSync', 'mkdirSync', 'statSync', 'unlinkSync', 'openSync', 'opendirSync', 'truncateSync',
    ]) {
      if (name === 'truncateSync' && value === 1) continue; // an open file
      await answer(`${name} of ${inspect(value)}`, () => fs[name](value));
    }
    await answer(`rename from ${inspect(value)}`, () => fs.renameSync(value, 'x'));
    await answer(`rename to ${inspect(value)}`, () => fs.renameSync('x', value));
    await answer(`copyFile to ${inspect(value)}, with a callback`, () => fs.copyFile('x', value, never));
    await answer(`stat of ${inspect(value)}, with a promise`, () => fs.promises.stat(value));
  }
  await codes('access', ['r', 8, -1, null, {}], (mode) => fs.accessSync(at('ten'), mode));
  await codes('copyFile', ['r', 8, -1], (mode) => fs.copyFileSync(at('ten'), at('copy'), mode));
  await codes('truncate', ['', false, null, {}, 1.5, -1, undefined], (length) => {
    fs.writeFileSync(at('short'), 'Hi');
    fs.truncateSync(at('short'), length);
    return fs.readFileSync(at('short'), 'latin1');
  });
  await codes('mkdir recursive', ['', 1, {}, null], (recursive) => fs.mkdirSync(at('made'), { recursive }));
  await codes('mkdir mode', ['x', -1, 2 ** 32, {}], (mode) => fs.mkdirSync(at('made'), { mode }));
  await codes('rm', [5, 'x', { recursive: 1 }, { force: 'yes' }, { retryDelay: -1 }],
    (options) => fs.rmSync(at('none'), options));
  await codes('open flags', ['x', 'rw', 4294967296, 1.5, {}], (flags) => fs.openSync(at('ten'), flags));
  await codes('open mode', ['boom', false, 4294967296, {}], (mode) => fs.openSync(at('ten'), 'r', mode));
  await codes('encoding', ['utf-7', 'none'], (encoding) => fs.readFileSync(at('ten'), encoding));
  await codes('encoding, with a callback', ['utf-7', { encoding: 'none' }],
    (encoding) => fs.readFile(at('ten'), encoding, never));
  await codes('signal', [null, 1, {}, 'x'], (signal) => fs.promises.readFile(at('ten'), { signal }));
  await codes('readSync options', [false, 'x', [], 5n, null, { offset: 1 }], (options) => {
    const fd = fs.openSync(at('ten'));
    try { return fs.readSync(fd, Buffer.alloc(4), options); } finally { fs.closeSync(fd); }
  });
  for (const name of ['close', 'fsync', 'fdatasync', 'fstat', 'ftruncate']) {
    for (const value of ['', null, undefined, 1.5, -1]) {
      await answer(`${name} of ${inspect(value)}`, () => fs[name](value, name === 'ftruncate' ? 0 : never, never));
    }
  }
  await codes('a path with a zero', ['readFile', 'stat', 'mkdir', 'open', 'unlink'],
    (name) => fs[`${name}Sync`](at('a\0b')));
  await answer('a zero', () => { try { fs.statSync('a\0b'); } catch (error) { return [error.name, error.code]; } });
  await answer('what has failed', () => ['readFile', 'stat', 'readdir', 'unlink', 'rmdir', 'access'].map((name) => {
    try {
      fs[`${name}Sync`](at('none'));
    } catch (error) { return [error.syscall, error.errno, error.code, error.path]; }
  }));
  await answer('owners and links are checked', () => [
    'chown', 'chmod', 'link', 'symlink', 'readlink', 'utimes',
  ].map((name) => {
    try { fs[`${name}Sync`](at('ten'), {}, {}); } catch (error) { return error.code === 'ERR_INVALID_ARG_TYPE'; }
  }).slice(0, 4));

  await answer('an open file is read on', async () => {
    const fd = fs.openSync(at('ten'));
    fs.readSync(fd, Buffer.alloc(4));
    const rest = [fs.readFileSync(fd, 'utf8'), (await back(fs.readFile, fd, 'utf8'))[1]];
    fs.closeSync(fd);
    return rest;
  });
  await answer('an open file is written on', async () => {
    const fd = fs.openSync(at('on'), 'w');
    fs.writeSync(fd, 'Hello');
    fs.writeFileSync(fd, ' World');
    await back(fs.appendFile, fd, '!');
    fs.closeSync(fd);
    return fs.readFileSync(at('on'), 'utf8');
  });
  await answer('a handle', async () => {
    const handle = await fs.promises.open(at('handled'), 'w+');
    await handle.writeFile('one ');
    await fs.promises.appendFile(handle, 'two');
    const got = [await handle.readFile('utf8'), (await handle.read(Buffer.alloc(3), 0, 3, 4)).buffer.toString()];
    await handle.close();
    return got;
  });
  await answer('read with a+', () => [
    fs.readFileSync(at('new'), { flag: 'a+', encoding: 'utf8' }), fs.existsSync(at('new')),
  ]);
  await answer('write with r', async () => (await back(fs.writeFile, at('ten'), 'x', { flag: 'r' }))[0].code);
  await answer('numbers as flags', () => {
    fs.writeFileSync(at('n'), 'abc', { flag: fs.constants.O_CREAT | fs.constants.O_WRONLY });
    return fs.readFileSync(at('n'), { flag: fs.constants.O_RDONLY, encoding: 'hex' });
  });
  await answer('flush', () => {
    fs.writeFileSync(at('n'), 'abc', { flush: true });
    return fs.readFileSync(at('n'), 'utf8');
  });
  await answer('parts', async () => {
    await fs.promises.writeFile(at('parts'), ['a', 'b', 'c']);
    await fs.promises.writeFile(at('more'), (async function* () { yield 'x'; yield Buffer.from('y'); })());
    return [fs.readFileSync(at('parts'), 'utf8'), fs.readFileSync(at('more'), 'utf8')];
  });
  await codes('parts that are none', [[5], [null]], (data) => fs.promises.writeFile(at('parts'), data));
  await answer('aborted before', async () => { try {
    await fs.promises.readFile(at('ten'), { signal: AbortSignal.abort() });
  } catch (error) { return [error.name, error.code]; } });
  await answer('aborted while reading', async () => {
    const controller = new AbortController();
    process.nextTick(() => { controller.abort(); });
    const [error] = await back(fs.readFile, at('ten'), { signal: controller.signal });
    return [error.name, error.code];
  });
  await answer('aborted while writing', async () => {
    const controller = new AbortController();
    const written = fs.promises.writeFile(at('never'), 'x', { signal: controller.signal });
    controller.abort();
    try { await written; } catch (error) { return error.name; }
  });
  await answer('names', async () => [fs.readdirSync(dir, 'hex').includes(Buffer.from('ten').toString('hex')),
    fs.readdirSync(dir, 'buffer').every(Buffer.isBuffer),
    Buffer.isBuffer(fs.realpathSync(dir, 'buffer')), fs.realpathSync('/tmp', { encoding: 'base64' })]);
  await answer('promisify', async () => {
    const fd = fs.openSync(at('both'), 'w+');
    const got = [await promisify(fs.write)(fd, 'abc'), await promisify(fs.read)(fd, Buffer.alloc(3), 0, 3, 0),
      await promisify(fs.readv)(fd, [Buffer.alloc(2)], 1), await promisify(fs.exists)(at('both'))];
    fs.closeSync(fd);
    return got;
  });
  await answer('read with options', async () => {
    const fd = fs.openSync(at('ten'));
    const buffer = Buffer.alloc(3);
    const got = [await back(fs.read, fd, { buffer, position: 2 }), await back(fs.read, fd, buffer, { length: 1 }),
      (await back(fs.read, fd)).slice(0, 2), fs.readSync(fd, Buffer.alloc(0))];
    fs.closeSync(fd);
    return got;
  });
  await codes('bufferSize', [-1, 0, 1.5, '', null], (bufferSize) => fs.opendirSync(dir, { bufferSize }));
  await answer('a directory', async () => {
    fs.mkdirSync(at('listed'));
    for (const name of ['a', 'b']) fs.writeFileSync(at(`listed/${name}`), '');
    const opened = await fs.promises.opendir(at('listed'));
    const reads = [opened.read(), opened.read()];
    const codes = [];
    try { opened.readSync(); } catch (error) { codes.push(error.code); }
    const names = (await Promise.all(reads)).map((entry) => entry.name).sort();
    await opened.close();
    try { opened.readSync(); } catch (error) { codes.push(error.code); }
    try { opened.close('x'); } catch (error) { codes.push(error.code); }
    return [names, codes];
  });
  fs.rmSync(dir, { recursive: true });
  return answers;
})();
