// Blob, File and FormData.
'use strict';
const { inspect } = require('util');
const answers = {};
const answer = async (name, f) => {
  try {
    answers[name] = inspect(await f(), { depth: 4, breakLength: 100 });
  } catch (error) {
    answers[name] = `throws ${error.name}`;
  }
};
module.exports = (async () => {
  const blob = new Blob(
    [
      'hé',
      new Uint8Array([33, 34]),
      new Blob(['in']),
      new ArrayBuffer(1),
      new DataView(new ArrayBuffer(1)),
      5,
      '\ud800',
    ],
    { type: 'Text/Plain' },
  );
  await answer('whole', async () => [
    blob.size,
    blob.type,
    await blob.text(),
    new Uint8Array(await blob.arrayBuffer()),
  ]);
  for (const args of [[], [1], [1, 4], [-3], [-3, -1], [4, 2], [0, 100], ['2', '5'], [0, 2, 'A/B'], [0, 1, '\u00e9']]) {
    await answer(`slice ${args}`, async () => {
      const s = blob.slice(...args);
      return [s.size, s.type, await s.text()];
    });
  }
  await answer('stream', async () => {
    const all = [];
    for await (const c of new Blob(['x'.repeat(70000)]).stream()) all.push(c.length);
    return all.reduce((a, b) => a + b);
  });
  await answer('endings', () => new Blob(['a\r\nb\nc\n'], { endings: 'native' }).text());
  for (const parts of [undefined, 5, 'text', {}, null, [null, undefined]])
    await answer(`parts ${inspect(parts)}`, () => new Blob(parts).text());
  await answer('options', () => new Blob([], 5));
  await answer('wrong endings', () => new Blob([], { endings: 'x' }));
  await answer('type', () => [new Blob([], { type: null }).type, new Blob([], { type: 'a\u00e9' }).type]);
  await answer('shown', () => [new Blob(['ab'], { type: 't/x' }), Object.prototype.toString.call(blob)]);
  await answer('file', async () => {
    const f = new File(['a', 'b'], 'n/m.txt', { type: 'x/y', lastModified: 12.7 });
    return [f.name, f.size, f.type, f.lastModified, await f.text(), f instanceof Blob];
  });
  await answer('file without a name', () => new File([]));
  await answer('file time', () => typeof new File([], 'x').lastModified);
  const form = () => {
    const f = new FormData();
    f.append('a', 1);
    f.append('b', 'x');
    f.append('a', '2');
    return f;
  };
  await answer('form', () => [
    [...form()],
    form().get('a'),
    form().getAll('a'),
    form().get('z'),
    form().has('b'),
    [...form().keys()],
    [...form().values()],
  ]);
  await answer('form set', () => {
    const f = form();
    f.set('a', 9);
    f.set('c', 0);
    f.delete('b');
    return [...f.entries()];
  });
  await answer('form file', async () => {
    const f = new FormData();
    f.append('f', new Blob(['q'], { type: 'a/b' }), 'n.txt');
    f.append('g', new Blob([]));
    const x = f.get('f');
    return [x instanceof File, x.name, x.type, await x.text(), f.get('g').name];
  });
  await answer('form forEach', () => {
    const log = [];
    form().forEach((v, k) => log.push(k + v));
    return log;
  });
  await answer('form of', () => new FormData({}));
  await answer('form append', () => new FormData().append('x'));
  await answer('form name', () => new FormData().append('a', 'text', 'n'));
  return answers;
})();
