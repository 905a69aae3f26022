// fs: open files, their streams, and what stat, mkdir and cp say.
'use strict';
const fs = require('fs');
const { inspect } = require('util');
const { once } = require('events');
const { pipeline } = require('stream/promises');
const { text } = require('stream/consumers');

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
// coded keeps only the code, where the texts differ.
const coded = (f) => async () => {
  try {
    return await f();
  } catch (error) {
    return error.code;
  }
};

module.exports = (async () => {
  fs.writeFileSync(at('ten'), '0123456789');
  await answer('mkdtemp', () => [fs.statSync(dir).isDirectory(), dir.length, /^\/tmp\/same-[A-Za-z0-9]{6}$/.test(dir)]);
  await answer('mkdir', async () => [fs.mkdirSync(at('a/b/c'), { recursive: true }),
    fs.mkdirSync(at('a/b/c'), { recursive: true }),
    await fs.promises.mkdir(at('a/d/e'), { recursive: true }), fs.mkdirSync(at('plain'))]);
  await answer('stat', () => {
    const s = fs.statSync(at('ten'));
    return [s.atime instanceof Date, s.ctime instanceof Date, s.birthtime instanceof Date,
      Number.isFinite(s.birthtimeMs), typeof s.mode,
      (s.mode & 0o170000).toString(8), s.isFIFO(), s.isSocket(), new Date(s.mtime).getTime() > 1e12,
        s.mtime - s.mtime, typeof s.mtimeMs];
  });
  await answer('times of a file', async () => {
    const found = [fs.statSync(at('ten')), fs.lstatSync(at('ten')), await fs.promises.stat(at('ten')),
      fs.fstatSync(fs.openSync(at('ten')))];
    const handle = await fs.promises.open(at('ten'));
    found.push(await handle.stat(), fs.statSync(dir));
    await handle.close();
    return found.map((s) => [s.mtime instanceof Date, s.mtime.getTime() === Math.round(s.mtimeMs),
      s.mtime > 1e12, s.mtime <= Date.now() + 1000,
      new Date(s.mtime).getTime() === +s.mtime, /^"\d{4}-.*Z"$/.test(JSON.stringify(s.mtime)),
      s.mtime === s.mtime, { ...s }.mtimeMs === s.mtimeMs,
      JSON.parse(JSON.stringify(s)).mtime === s.mtime.toISOString()]);
  });
  await answer('stat with big integers', () => {
    const s = fs.statSync(at('ten'), { bigint: true });
    return [s.size, typeof s.mtimeMs, typeof s.mtimeNs, typeof s.mode, s.isFile(),
      s.isDirectory(), s.birthtime instanceof Date];
  });
  await answer('no entry', () => fs.statSync(at('none'), { throwIfNoEntry: false }));
  await answer('read', () => {
    const fd = fs.openSync(at('ten'));
    const buffer = Buffer.alloc(4, '.');
    const got = [];
    got.push(fs.readSync(fd, buffer), String(buffer), fs.readSync(fd, buffer, 1, 2),
      String(buffer), fs.readSync(fd, buffer, 0, 4, 8), String(buffer),
      fs.readSync(fd, buffer, { position: 1, length: 2 }), String(buffer), fs.readSync(fd, buffer),
      String(buffer), fs.readSync(fd, buffer),
      fs.readSync(fd, buffer, 0, 0), fs.readSync(fd, buffer, 0, 4, 1e15),
      fs.readSync(fd, buffer, 0, 4, 9007199254740993n), fs.readSync(fd, new Uint16Array(2), 0, 4, 0),
      fs.fstatSync(fd).size);
    fs.closeSync(fd);
    return got;
  });
  const wrong = {
    'a closed file': (fd, b) => { fs.closeSync(fs.openSync(at('ten'))); return fs.readSync(999, b); },
    'closed twice': () => { const fd = fs.openSync(at('ten')); fs.closeSync(fd); fs.closeSync(fd); },
    'no number': (fd, b) => fs.readSync('3', b),
    'no buffer': (fd) => fs.readSync(fd, 'x'),
    'an empty buffer': (fd) => fs.readSync(fd, Buffer.alloc(0), 0, 1),
    'too long': (fd, b) => fs.readSync(fd, b, 2, 3),
    'a negative length': (fd, b) => fs.readSync(fd, b, 0, -1),
    'a position as text': (fd, b) => fs.readSync(fd, b, 0, 1, 'x'),
    'a huge position': (fd, b) => fs.readSync(fd, b, 0, 1, 2n ** 63n),
    'half a position': (fd, b) => fs.readSync(fd, b, 0, 1, 1.5),
    'a text that is none': (fd) => fs.writeSync(fd, 5),
    'unknown flags': () => fs.openSync(at('ten'), 'z'),
    'no callback': () => fs.closeSync({}),
  };
  for (const name of Object.keys(wrong)) {
    await answer(name, () => {
      const fd = fs.openSync(at('ten'), 'r+');
      try {
        return wrong[name](fd, Buffer.alloc(4));
      } finally {
        fs.closeSync(fd);
      }
    });
  }
  await answer('codes', async () => [
    await coded(() => fs.openSync(at('none')))(), await coded(() => fs.openSync(at('none'), 'r+'))(),
    await coded(() => fs.openSync(at('ten'), 'wx'))(),
    await coded(() => fs.openSync(dir, 'w'))(),
    await coded(() => { const fd = fs.openSync(at('ten')); return fs.writeSync(fd, 'x'); })(),
    await coded(() => { const fd = fs.openSync(at('w'), 'w'); return fs.readSync(fd, Buffer.alloc(1)); })(),
    await coded(() => { const fd = fs.openSync(dir); return fs.readSync(fd, Buffer.alloc(1)); })(),
  ]);
  await answer('write', () => {
    const fd = fs.openSync(at('out'), 'w+');
    const got = [fs.writeSync(fd, 'hello'), fs.writeSync(fd, Buffer.from('xyz'), 1, 2),
      fs.writeSync(fd, 'J', 0), fs.writeSync(fd, 'c3a9', null, 'hex'),
      fs.writeSync(fd, '!', 12), fs.writevSync(fd, [Buffer.from('a'), Buffer.from('b')])];
    fs.closeSync(fd);
    return [got, fs.readFileSync(at('out'), 'latin1')];
  });
  await answer('append', () => {
    const fd = fs.openSync(at('out'), 'a');
    fs.writeSync(fd, 'end', 0);
    fs.closeSync(fd);
    return fs.readFileSync(at('out'), 'latin1').slice(-5);
  });
  await answer('flags in numbers', () => {
    const { O_CREAT, O_WRONLY, O_TRUNC } = fs.constants;
    const fd = fs.openSync(at('ten2'), O_CREAT | O_WRONLY | O_TRUNC);
    fs.writeSync(fd, 'x');
    fs.ftruncateSync(fd, 3);
    fs.closeSync(fd);
    return fs.readFileSync(at('ten2'), 'hex');
  });
  await answer('callbacks', () => new Promise((resolve, reject) => {
    fs.open(at('ten'), 'r', (error, fd) => {
      if (error) { reject(error); return; }
      fs.read(fd, Buffer.alloc(3), 0, 3, 2, (e, n, buffer) => {
        fs.fstat(fd, (e2, stats) => fs.close(fd, (e3) => resolve([e, n, String(buffer), e2, stats.size, e3])));
      });
    });
  }));
  await answer('a handle', async () => {
    const handle = await fs.promises.open(at('handle'), 'w+');
    const got = [typeof handle.fd];
    const { bytesWritten } = await handle.write('some text');
    await handle.appendFile(' more');
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(4), 0, 4, 5);
    got.push(bytesWritten, bytesRead, String(buffer), (await handle.stat()).size);
    await handle.truncate(4);
    await handle.close();
    got.push(handle.fd, await fs.promises.readFile(at('handle'), 'utf8'));
    try { await handle.read(Buffer.alloc(1)); } catch (error) { got.push(error.code, error.message); }
    const again = await fs.promises.open(at('ten'));
    got.push(await again.readFile('utf8'), await again.readFile('utf8'));
    await again.close();
    return got;
  });
  await answer('read stream', async () => [
    await text(fs.createReadStream(at('ten'))), await text(fs.createReadStream(at('ten'), { start: 2, end: 4 })),
    await text(fs.createReadStream(at('ten'), { start: 8 })),
    await text(fs.createReadStream(at('ten'), { end: 0 })),
    (await fs.createReadStream(at('ten'), { highWaterMark: 4, encoding: 'utf8' }).toArray()).join(''),
    await text(fs.createReadStream(at('ten'), { start: 100 })),
  ]);
  await answer('events of a read stream', async () => {
    const log = [];
    const s = fs.createReadStream(at('ten'));
    for (const type of ['open', 'ready', 'end', 'close']) s.on(type, () => log.push(type));
    s.on('data', (chunk) => log.push(chunk));
    await once(s, 'close');
    return [log, s.bytesRead, hide(s.path), s.pending];
  });
  await answer('no file', async () => (await coded(() => text(fs.createReadStream(at('none'))))()));
  await answer('wrong range', () => fs.createReadStream(at('ten'), { start: 5, end: 2 }));
  await answer('wrong start', () => fs.createReadStream(at('ten'), { start: 'x' }));
  await answer('write stream', async () => {
    const log = [];
    const s = fs.createWriteStream(at('ws'));
    for (const type of ['open', 'ready', 'finish', 'close']) s.on(type, () => log.push(type));
    s.write('one ');
    s.write(Buffer.from('two '));
    s.end('three');
    await once(s, 'close');
    const more = fs.createWriteStream(at('ws'), { flags: 'a' });
    more.end('!');
    await once(more, 'close');
    const inside = fs.createWriteStream(at('ws'), { flags: 'r+', start: 4 });
    inside.end('TWO');
    await once(inside, 'close');
    return [log, s.bytesWritten, fs.readFileSync(at('ws'), 'utf8')];
  });
  await answer('copy by streams', async () => {
    fs.writeFileSync(at('large'), 'x'.repeat(300000));
    await pipeline(fs.createReadStream(at('large')), fs.createWriteStream(at('large2')));
    return fs.statSync(at('large2')).size;
  });
  await answer('opendir', async () => {
    const names = [];
    for await (const entry of await fs.promises.opendir(at('a'))) names.push(`${entry.name} ${entry.isDirectory()}`);
    const d = fs.opendirSync(at('a/b'));
    names.push(d.readSync().name, d.readSync());
    d.closeSync();
    return names.sort();
  });
  await answer('realpath', async () => [
    fs.realpathSync(at('a/../ten')), await coded(() => fs.realpathSync(at('none')))(),
  ]);
  await answer('cp with a filter', async () => {
    fs.mkdirSync(at('from/sub'), { recursive: true });
    fs.writeFileSync(at('from/a.js'), '1');
    fs.writeFileSync(at('from/b.txt'), '2');
    fs.writeFileSync(at('from/sub/c.js'), '3');
    fs.cpSync(at('from'), at('to'), { recursive: true, filter: (src) => !src.endsWith('.txt') });
    await fs.promises.cp(at('from'), at('to2'), { recursive: true, filter: async (src, dest) => !/sub$/.test(dest) });
    return [
      fs.readdirSync(at('to'), { recursive: true }).sort(), fs.readdirSync(at('to2'), { recursive: true }).sort(),
    ];
  });
  await answer('a URL', () => fs.readFileSync(new URL(`file://${at('ten')}`), 'utf8'));
  await answer('a path of bytes', () => fs.readFileSync(Buffer.from(at('ten')), 'utf8'));
  fs.rmSync(dir, { recursive: true });
  return answers;
})();
