// The web's streams: the order of what happens, errors, cancelling, locking, backpressure.
'use strict';
const { inspect } = require('util');

const answers = {};
const settle = async (promise) => {
  try {
    return { value: await promise };
  } catch (error) {
    return { error: error instanceof Error ? error.name : error };
  }
};
const tick = (n = 5) => new Promise((done) => setTimeout(done, n));
const answer = async (name, f) => {
  const log = [];
  let result;
  try {
    result = await f(log);
  } catch (error) {
    result = error instanceof Error ? `throws ${error.name}` : `throws ${inspect(error)}`;
  }
  answers[name] = inspect([result, log], { depth: 6, breakLength: 120 });
};
const all = async (stream) => {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};
const counting = (n, log) => {
  let i = 0;
  return new ReadableStream(
    {
      start() {
        log?.push('start');
      },
      pull(controller) {
        log?.push(`pull ${i}`);
        if (i < n) controller.enqueue(i++);
        else controller.close();
      },
      cancel(reason) {
        log?.push(`cancel ${reason?.name ?? reason}`);
      },
    },
    { highWaterMark: 2 },
  );
};

module.exports = (async () => {
  await answer('iterate', async (log) => all(counting(4, log)));
  await answer('break cancels', async (log) => {
    const stream = counting(9, log);
    for await (const chunk of stream) if (chunk === 2) break;
    return stream.locked;
  });
  await answer('break without cancelling', async (log) => {
    const stream = counting(4, log);
    for await (const chunk of stream.values({ preventCancel: true })) if (chunk === 1) break;
    return [stream.locked, await all(stream)];
  });
  await answer('reader', async (log) => {
    const stream = counting(2, log);
    const reader = stream.getReader();
    const locked = stream.locked;
    const reads = [await reader.read(), await reader.read(), await reader.read()];
    await reader.closed;
    reader.releaseLock();
    return [locked, reads, stream.locked];
  });
  await answer('locked', () => {
    const s = counting(1);
    s.getReader();
    return s.getReader();
  });
  await answer('locked cancel', async () => {
    const s = counting(1);
    s.getReader();
    return settle(s.cancel());
  });
  await answer('released reader', async () => {
    const reader = counting(1).getReader();
    const read = counting(0).getReader();
    reader.releaseLock();
    read.releaseLock();
    return [await settle(reader.read()), await settle(reader.closed), await settle(reader.cancel())];
  });
  await answer('pending read and release', async () => {
    const reader = new ReadableStream().getReader();
    const read = settle(reader.read());
    reader.releaseLock();
    return read;
  });
  await answer('cancel', async (log) => {
    const stream = counting(5, log);
    await tick();
    return [await settle(stream.cancel('why')), await settle(stream.getReader().read())];
  });
  await answer('cancel fails', async () =>
    settle(
      new ReadableStream({
        cancel() {
          throw 'no';
        },
      }).cancel(),
    ),
  );
  await answer('errors', async () => {
    let c;
    const stream = new ReadableStream({
      start(controller) {
        c = controller;
      },
    });
    const reader = stream.getReader();
    const read = settle(reader.read());
    c.error('broken');
    return [await read, await settle(reader.closed), await settle(reader.read()), c.desiredSize];
  });
  await answer(
    'start fails',
    () =>
      new ReadableStream({
        start() {
          throw new RangeError('x');
        },
      }),
  );
  await answer('start rejects', async () =>
    settle(
      new ReadableStream({
        async start() {
          throw 'late';
        },
      })
        .getReader()
        .read(),
    ),
  );
  await answer('pull rejects', async () =>
    settle(
      new ReadableStream({
        async pull() {
          throw 'pull';
        },
      })
        .getReader()
        .read(),
    ),
  );
  await answer(
    'close twice',
    () =>
      new ReadableStream({
        start(c) {
          c.close();
          c.close();
        },
      }),
  );
  await answer(
    'enqueue after close',
    () =>
      new ReadableStream({
        start(c) {
          c.close();
          c.enqueue(1);
        },
      }),
  );
  await answer('close with chunks', async () =>
    all(
      new ReadableStream({
        start(c) {
          c.enqueue(1);
          c.enqueue(2);
          c.close();
        },
      }),
    ),
  );
  await answer('sizes', async (log) => {
    const stream = new ReadableStream(
      {
        start(c) {
          c.enqueue('abc');
          log.push(c.desiredSize);
          c.enqueue('de');
          log.push(c.desiredSize);
          c.close();
        },
      },
      { highWaterMark: 10, size: (s) => s.length },
    );
    return all(stream);
  });
  for (const size of [-1, NaN, Infinity, 'x']) {
    await answer(`size ${size}`, async () =>
      settle(
        all(
          new ReadableStream(
            {
              start(c) {
                try {
                  c.enqueue(1);
                } catch (e) {
                  c.other = e.name;
                }
              },
            },
            { size: () => size },
          ),
        ),
      ),
    );
  }
  for (const mark of [-1, NaN, 'x', Infinity])
    await answer(`mark ${mark}`, () => typeof new ReadableStream({}, { highWaterMark: mark }));
  for (const source of [
    null,
    5,
    { type: 'x' },
    { pull: 5 },
    { start: {} },
    { type: 'bytes', autoAllocateChunkSize: 0 },
  ]) {
    await answer(`source ${inspect(source)}`, () => typeof new ReadableStream(source));
  }
  await answer('strategies', () => [
    new CountQueuingStrategy({ highWaterMark: 3 }).highWaterMark,
    new ByteLengthQueuingStrategy({ highWaterMark: 5 }).size(new Uint8Array(4)),
    new CountQueuingStrategy({ highWaterMark: 'x' }).highWaterMark,
  ]);
  await answer('strategy without mark', () => new CountQueuingStrategy({}));
  await answer('from', async () => [
    await all(ReadableStream.from([1, Promise.resolve(2)])),
    await all(ReadableStream.from('ab')),
    await all(
      ReadableStream.from(
        (async function* () {
          yield 1;
          yield 2;
        })(),
      ),
    ),
  ]);
  await answer('from cancelled', async (log) => {
    const stream = ReadableStream.from(
      (function* () {
        try {
          yield 1;
          yield 2;
        } finally {
          log.push('finally');
        }
      })(),
    );
    const reader = stream.getReader();
    await reader.read();
    return settle(reader.cancel('x'));
  });
  await answer('from nothing', () => ReadableStream.from(5));

  await answer('tee', async (log) => {
    const [a, b] = counting(3, log).tee();
    return [await all(a), await all(b)];
  });
  await answer('tee and cancel', async (log) => {
    const [a, b] = counting(3, log).tee();
    const first = settle(a.cancel('a'));
    const second = settle(b.cancel('b'));
    return [await first, await second];
  });
  await answer('tee and error', async () => {
    let c;
    const [a, b] = new ReadableStream({
      start(controller) {
        c = controller;
      },
    }).tee();
    c.error('bad');
    return [await settle(a.getReader().read()), await settle(b.getReader().closed)];
  });

  const sink = (log, slow = 0) =>
    new WritableStream(
      {
        start() {
          log.push('start');
        },
        async write(chunk) {
          log.push(`write ${chunk}`);
          if (slow) await tick(slow);
          log.push(`written ${chunk}`);
        },
        close() {
          log.push('close');
        },
        abort(reason) {
          log.push(`abort ${reason}`);
        },
      },
      { highWaterMark: 2 },
    );
  await answer('write', async (log) => {
    const writer = sink(log).getWriter();
    const sizes = [writer.desiredSize];
    const writes = [writer.write(1), writer.write(2)];
    sizes.push(writer.desiredSize);
    await Promise.all(writes);
    sizes.push(writer.desiredSize);
    await writer.close();
    return [sizes, await settle(writer.closed)];
  });
  await answer('ready', async (log) => {
    const writer = sink(log, 2).getWriter();
    await writer.ready;
    for (let i = 0; i < 3; i++) writer.write(i);
    log.push('waiting');
    await writer.ready;
    log.push('ready');
    await writer.close();
  });
  await answer('abort', async (log) => {
    const writer = sink(log, 2).getWriter();
    const write = settle(writer.write(1));
    const second = settle(writer.write(2));
    const aborted = settle(writer.abort('stop'));
    return [
      await write,
      await second,
      await aborted,
      await settle(writer.closed),
      await settle(writer.ready),
      writer.desiredSize,
    ];
  });
  await answer('write fails', async () => {
    const writer = new WritableStream({
      write() {
        throw 'full';
      },
    }).getWriter();
    return [await settle(writer.write(1)), await settle(writer.closed), await settle(writer.write(2))];
  });
  await answer('close fails', async () => {
    const writer = new WritableStream({
      close() {
        throw 'unfinished';
      },
    }).getWriter();
    return [await settle(writer.close()), await settle(writer.closed)];
  });
  await answer('sink errors itself', async () => {
    let c;
    const writer = new WritableStream({
      start(controller) {
        c = controller;
      },
    }).getWriter();
    c.error('own');
    return [await settle(writer.write(1)), await settle(writer.closed), c.signal.aborted];
  });
  await answer('signal of a sink', async (log) => {
    const stream = new WritableStream({
      write(chunk, c) {
        c.signal.addEventListener('abort', () => log.push(c.signal.reason));
        return tick(3);
      },
    });
    const writer = stream.getWriter();
    const write = settle(writer.write(1));
    await tick(1);
    const aborted = settle(writer.abort('now'));
    return [await write, await aborted];
  });
  await answer('released writer', async (log) => {
    const stream = sink(log);
    const writer = stream.getWriter();
    writer.releaseLock();
    return [await settle(writer.write(1)), await settle(writer.closed), stream.locked, await settle(stream.close())];
  });
  await answer('locked writable', async (log) => {
    const s = sink(log);
    s.getWriter();
    return [await settle(s.abort()), await settle(s.close())];
  });
  await answer('second writer', (log) => {
    const s = sink(log);
    s.getWriter();
    return s.getWriter();
  });

  await answer('pipe', async (log) => counting(3, log).pipeTo(sink(log)));
  await answer('pipe without closing', async (log) => {
    const s = sink(log);
    await counting(1).pipeTo(s, { preventClose: true });
    return s.locked;
  });
  await answer('pipe from an error', async (log) => {
    const source = new ReadableStream({
      start(c) {
        c.enqueue(1);
      },
      pull(c) {
        c.error('source');
      },
    });
    return settle(source.pipeTo(sink(log)));
  });
  await answer('pipe to an error', async (log) =>
    settle(
      counting(9, log).pipeTo(
        new WritableStream({
          write(n) {
            if (n === 1) throw 'sink';
          },
        }),
      ),
    ),
  );
  await answer('pipe aborted', async (log) => {
    const c = new AbortController();
    const piped = settle(
      new ReadableStream({
        cancel(r) {
          log.push(`cancel ${r}`);
        },
      }).pipeTo(sink(log), { signal: c.signal }),
    );
    await tick();
    c.abort('enough');
    return piped;
  });
  await answer('pipe aborted before', async (log) =>
    settle(counting(2, log).pipeTo(sink(log), { signal: AbortSignal.abort('before') })),
  );
  await answer('pipe to a closed one', async (log) => {
    const s = sink(log);
    await s.close();
    return settle(counting(2, log).pipeTo(s));
  });
  await answer('pipe locked', async (log) => {
    const s = counting(1);
    s.getReader();
    return settle(s.pipeTo(sink(log)));
  });
  await answer('pipe to nothing', async () => settle(counting(1).pipeTo({})));

  const upper = (log) =>
    new TransformStream({
      start() {
        log.push('start');
      },
      transform(chunk, c) {
        log.push(`transform ${chunk}`);
        c.enqueue(`${chunk}`.toUpperCase());
        if (chunk === 'twice') c.enqueue('AGAIN');
      },
      flush(c) {
        log.push('flush');
        c.enqueue('end');
      },
      cancel(reason) {
        log.push(`cancel ${reason}`);
      },
    });
  await answer('transform', async (log) => all(ReadableStream.from(['a', 'twice']).pipeThrough(upper(log))));
  await answer('identity', async () => all(ReadableStream.from([1, 2]).pipeThrough(new TransformStream())));
  await answer('transform fails', async () => {
    const t = new TransformStream({
      transform() {
        throw 'bad chunk';
      },
    });
    const writer = t.writable.getWriter();
    const read = settle(t.readable.getReader().read());
    return [await settle(writer.write(1)), await read, await settle(writer.closed)];
  });
  await answer('terminate', async () => {
    const t = new TransformStream({
      transform(chunk, c) {
        c.enqueue(chunk);
        c.terminate();
      },
    });
    const writer = t.writable.getWriter();
    settle(writer.write(1));
    settle(writer.closed);
    const second = settle(writer.write(2));
    return [await all(t.readable), await second];
  });
  await answer('transform backpressure', async (log) => {
    const t = new TransformStream({
      transform(chunk, c) {
        log.push(chunk);
        c.enqueue(chunk);
      },
    });
    const writer = t.writable.getWriter();
    settle(writer.write(1));
    settle(writer.write(2));
    await tick();
    log.push('read');
    const value = await t.readable.getReader().read();
    await tick();
    return [value, writer.desiredSize];
  });
  await answer('writable side aborted', async (log) => {
    const t = new TransformStream();
    const read = settle(t.readable.getReader().read());
    await settle(t.writable.abort('w'));
    return read;
  });
  await answer('text', async () => {
    const encoder = new TextEncoderStream();
    const writer = encoder.writable.getWriter();
    for (const text of ['a', '\ud83d', '\ude00', '\ud800', 5]) settle(writer.write(text));
    settle(writer.close());
    const bytes = (await all(encoder.readable)).map((c) => [...c]);
    const decoder = new TextDecoderStream();
    const texts = await all(
      ReadableStream.from([
        new Uint8Array([0xe2, 0x82]),
        new Uint8Array([0xac, 65]),
        new Uint8Array([0xf0]),
      ]).pipeThrough(decoder),
    );
    return [bytes, texts, encoder.encoding, decoder.encoding, decoder.fatal];
  });

  const bytes = (log, ...sizes) =>
    new ReadableStream({
      type: 'bytes',
      pull(c) {
        const { byobRequest } = c;
        log.push(`pull ${byobRequest?.view.byteLength}`);
        if (sizes.length === 0) {
          c.close();
          byobRequest?.respond(0);
          return;
        }
        const n = sizes.shift();
        if (byobRequest) {
          byobRequest.view.fill(n);
          byobRequest.respond(Math.min(n, byobRequest.view.byteLength));
        } else c.enqueue(new Uint8Array(n).fill(n));
      },
      cancel(reason) {
        log.push(`cancel ${reason}`);
      },
    });
  await answer('bytes', async (log) => all(bytes(log, 2, 3)));
  await answer('bytes into views', async (log) => {
    const reader = bytes(log, 2, 3).getReader({ mode: 'byob' });
    return [
      await reader.read(new Uint8Array(4)),
      await reader.read(new Uint8Array(4)),
      await reader.read(new Uint8Array(4)),
    ];
  });
  await answer('bytes, at least', async (log) => {
    const reader = bytes(log, 1, 1, 1, 1, 1).getReader({ mode: 'byob' });
    return reader.read(new Uint8Array(8), { min: 3 });
  });
  await answer('bytes in wider elements', async (log) => {
    const reader = bytes(log, 3, 3).getReader({ mode: 'byob' });
    return [await reader.read(new Uint16Array(4)), await reader.read(new Uint16Array(2))];
  });
  await answer('bytes allocated', async (log) => {
    const stream = new ReadableStream({
      type: 'bytes',
      autoAllocateChunkSize: 4,
      pull(c) {
        const v = c.byobRequest.view;
        log.push(v.byteLength);
        v[0] = 9;
        c.byobRequest.respond(1);
      },
    });
    return stream.getReader().read();
  });
  await answer('bytes tee', async (log) => {
    const [a, b] = bytes(log, 2, 1).tee();
    return [await all(a), await all(b)];
  });
  await answer('bytes cancelled', async (log) => settle(bytes(log, 1).getReader({ mode: 'byob' }).cancel('x')));
  await answer('byob of another stream', () => counting(1).getReader({ mode: 'byob' }));
  await answer('byob of nothing', async (log) =>
    settle(bytes(log, 1).getReader({ mode: 'byob' }).read(new Uint8Array(0))),
  );
  await answer('bytes respond 0', async () =>
    settle(
      new ReadableStream({
        type: 'bytes',
        pull(c) {
          c.byobRequest.respond(0);
        },
      })
        .getReader({ mode: 'byob' })
        .read(new Uint8Array(1)),
    ),
  );
  await answer('bytes respond much', async () =>
    settle(
      new ReadableStream({
        type: 'bytes',
        pull(c) {
          c.byobRequest.respond(5);
        },
      })
        .getReader({ mode: 'byob' })
        .read(new Uint8Array(1)),
    ),
  );
  await answer('bytes size', () => new ReadableStream({ type: 'bytes' }, { size: () => 1 }));

  for (const type of [
    ReadableStreamDefaultController,
    ReadableByteStreamController,
    ReadableStreamBYOBRequest,
    WritableStreamDefaultController,
    TransformStreamDefaultController,
  ]) {
    await answer(`new ${type.name}`, () => new type());
  }
  await answer('another this', async () => [
    await settle(ReadableStream.prototype.cancel.call({})),
    await settle(WritableStream.prototype.close.call({})),
    await settle(ReadableStreamDefaultReader.prototype.read.call({})),
  ]);
  await answer('names', () =>
    [ReadableStream, WritableStream, TransformStream].map((t) => [
      t.name,
      t.length,
      Object.prototype.toString.call(t.prototype),
      Object.keys(t.prototype).sort(),
    ]),
  );
  return answers;
})();
