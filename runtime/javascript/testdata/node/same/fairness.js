// Code that does one operation on files after the other does not keep timers waiting.
module.exports = (async () => {
  const fs = require('fs');
  const answers = {};
  const dir = fs.mkdtempSync('/tmp/fairness-');
  const file = `${dir}/file`;
  fs.writeFileSync(file, 'x'.repeat(1 << 20));
  // until calls operation again and again until a timer has run.
  const until = async (name, operation) => {
    let ran = false;
    setTimeout(() => { ran = true; }, 2);
    while (!ran) await operation();
    answers[name] = 'a timer has run';
  };
  const callback = (f) => () => new Promise((resolve) => { f(() => { resolve(); }); });
  await until('stat', () => fs.promises.stat(file));
  await until('access of what is not there', () => fs.promises.access(`${dir}/none`).catch(() => {}));
  await until('readFile with a callback', callback((done) => { fs.readFile(file, done); }));
  await until('exists', callback((done) => { fs.exists(file, done); }));
  const handle = await fs.promises.open(file);
  await until('stat of an open file', () => handle.stat());
  await handle.close();
  const fd = fs.openSync(file);
  await until('read with a callback', callback((done) => { fs.read(fd, Buffer.alloc(10), 0, 10, 0, done); }));
  fs.closeSync(fd);
  await new Promise((resolve) => {
    const stream = fs.createReadStream(file, { highWaterMark: 1 });
    stream.resume();
    setTimeout(() => {
      answers['a stream'] = stream.readableEnded ? 'it has ended' : 'a timer has run';
      stream.destroy();
      resolve();
    }, 2);
  });
  fs.rmSync(dir, { recursive: true });
  return answers;
})();
