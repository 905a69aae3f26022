// How far the helpers of streams read ahead, what compose makes, and what a destroyed stream does that is used again.
'use strict';
const { Readable, Writable, Transform, PassThrough, compose, finished } = require('node:stream');
const { inspect } = require('util');

const answers = {};
const answer = async (name, f) => {
  try {
    const value = await f();
    answers[name] = typeof value === 'string' ? value : inspect(value, { depth: 4, breakLength: 100 });
  } catch (error) {
    answers[name] = `${error.name} ${error.code} ${error.message.slice(0, 60)}`;
  }
};
const upper = () => new Transform({ transform(chunk, encoding, callback) {
  callback(null, `${chunk}`.toUpperCase());
} });
const done = (stream) => new Promise((resolve) => {
  finished(stream, (error) => resolve(error ? error.message : 'done'));
});

module.exports = (async () => {
  for (const name of [
    'map', 'filter', 'forEach', 'toArray', 'some', 'every', 'find', 'flatMap', 'take', 'drop', 'reduce',
  ]) {
    await answer(`length of ${name}`, () => [Readable.prototype[name].length, Readable.prototype[name].name]);
  }
  for (const options of [undefined, { concurrency: 2 }, { concurrency: 3, highWaterMark: 0 }, { highWaterMark: 4 }]) {
    await answer(`map until 3 ${inspect(options)}`, async () => {
      const seen = [];
      for await (const x of Readable.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).map((x) => {
        seen.push(x); return x;
      }, options)) if (x === 3) break;
      return seen.length;
    });
    for (const name of ['some', 'find', 'every']) {
      await answer(`${name} ${inspect(options)}`, async () => {
        const seen = [];
        const result = await Readable.from([1, 2, 3, 4, 5])[name]((x) => {
          seen.push(x);
          return name === 'every' ? x < 3 : x > 2;
        }, options);
        return [result, options?.concurrency ? 'at once' : seen.length];
      });
    }
  }
  await answer('compose a writable', () => compose(new Writable(), new PassThrough()));
  await answer('compose a readable last', () => compose(new PassThrough(), Readable.from([])));
  await answer('compose nothing', () => compose());
  await answer('compose with undefined', () => Readable.from(['a']).compose());
  await answer('compose with a readable', () => Readable.from(['a']).compose(Readable.from(['b'])));
  await answer('finish of the last', async () => {
    let text = '';
    const sink = new Writable({ write(chunk, encoding, callback) { text += chunk; setTimeout(callback, 1); } });
    const all = compose(upper(), async function* (source) { for await (const chunk of source) yield chunk; }, sink);
    all.end('asd');
    await new Promise((resolve) => { all.on('finish', resolve); });
    return text;
  });
  await answer('neither side', async () => {
    let text = '';
    const all = compose(async function* () { yield 'a'; yield 'b'; }(), upper(), async (source) => {
      for await (const chunk of source) text += chunk;
    });
    return [all.readable, all.writable, await done(all), text];
  });
  await answer('encoding of objects', async () => {
    const seen = [];
    const sink = new Writable({ objectMode: true, write(chunk, encoding, callback) {
      seen.push(encoding);
      callback();
    } });
    sink.write({});
    sink.write('a');
    sink.write('a', 'latin1');
    sink.write(Buffer.from('a'), 'nope');
    sink.end(new Uint8Array(1));
    await done(sink);
    return seen;
  });
  await answer('used again', async () => {
    let finals = 0;
    const sink = new Writable({ final(callback) { finals++; callback(); } });
    sink.end();
    await done(sink);
    await new Promise((resolve) => { sink.closed ? resolve() : sink.on('close', resolve); });
    sink._undestroy();
    const states = [sink.destroyed, sink.closed, sink.writableEnded, sink.writable];
    sink.end();
    await done(sink);
    return [finals, states];
  });
  return answers;
})();
