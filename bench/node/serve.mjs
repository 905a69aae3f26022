// Runs an engine under Node for the comparison, as bench/protocol describes it: node --expose-gc serve.mjs ENGINE
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

// An engine has a version and the functions call(body, library), hold(body), which returns a function that ends the
// sandbox, and program(sources, expression), which returns a function that evaluates the expression. What it lacks it
// cannot do.
const { default: engine } = await import(`./${process.argv[2]}.mjs`);

let libraries = 0;

async function timed(work) {
  const start = process.hrtime.bigint();
  const value = await work();
  return [Number(process.hrtime.bigint() - start), value];
}

async function check(request, library) {
  const text = await engine.call(request.body, library);
  if (text !== request.want)
    throw new Error(`the result is ${JSON.stringify(text)} instead of ${JSON.stringify(request.want)}`);
}

// memory is what the process holds, in bytes, without what it could give back; undefined if the system does not tell.
// What is mapped several times counts once.
function memory() {
  for (let i = 0; i < 3; i++) gc();
  if (process.platform !== 'linux') return undefined;
  return Number(/^Pss: +(\d+)/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'))[1]) * 1024;
}

const operations = {
  version: async () => ({ version: engine.version }),

  async call(request) {
    const source = request.library ? readFileSync(request.library, 'utf8') : '';
    const times = [];
    for (let i = 0; i < request.count; i++) {
      const library = request.new ? `${source}\n// ${++libraries}\n` : source;
      times.push((await timed(() => check(request, library)))[0]);
    }
    return { times };
  },

  async callers(request) {
    let calls = 0, took = 0;
    while (took < request.duration) {
      took += (await timed(() => check(request, '')))[0];
      calls++;
    }
    return { rate: calls / (took / 1e9) };
  },

  async hold(request) {
    const releases = [await engine.hold(request.body)];
    try {
      const before = memory();
      for (let i = 0; i < request.count; i++) releases.push(await engine.hold(request.body));
      return before === undefined ? { unmeasured: true } : { bytes: (memory() - before) / request.count };
    } finally {
      for (const release of releases) release();
    }
  },

  async program(request) {
    const evaluate = await engine.program(request.sources.map((name) => readFileSync(name, 'utf8')), request.body);
    const times = [];
    let text;
    try {
      for (let i = 0; i < (request.warm ?? 0) + request.count; i++) {
        const [took, value] = await timed(evaluate);
        if (i >= (request.warm ?? 0)) times.push(took);
        text = String(value);
      }
    } finally {
      evaluate.end?.();
    }
    return { times, text };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let response;
  try {
    gc();
    response = await operations[request.op](request);
  } catch (error) {
    response = { error: String(error?.message ?? error) || 'failed' };
  }
  process.stdout.write(JSON.stringify(response) + '\n');
}
