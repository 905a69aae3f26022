// What Code nodes of n8n find around them, with made-up input. It comes before the code of a node, which is the
// function that __run gets. The fields that the code asks for are there, with values that fit what is done with them.

const __now = Date.UTC(2024, 4, 17, 9, 30, 15, 250);
{
  const Real = Date;
  globalThis.Date = class Date extends Real {
    constructor(...args) {
      if (args.length) super(...args);
      else super(__now);
    }

    static now() { return __now; }
  };
  let seed = 42;
  Math.random = () => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648; };
}

const __words = ['Alpha report', 'beta@example.com', 'Gamma-17', 'delta epsilon', 'Zeta, Eta and Theta'];

const __access = (pattern) => new RegExp(`^['"\\]]*\\??\\.?${pattern}`);
const __patterns = {
  list: __access('(?:\\.(map|filter|forEach|reduce|some|every|find|findIndex|flatMap|join|push|sort|at)\\b|\\[0\\])'),
  joined: __access('\\.join\\b'),
  text: __access('\\.(split|trim|toLowerCase|toUpperCase|replace|match|includes|substring|startsWith|slice|charAt|length)\\b'),
  number: __access('\\.toFixed\\b'),
  object: __access('\\.[a-zA-Z_]'),
};
const __known = new Map();

/** __uses says what code does with a field, by what comes after its name. */
function __uses(name, code) {
  let uses = __known.get(name);
  if (!uses) {
    const places = [...code.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].slice(0, 20);
    const parts = places.map((found) => code.slice(found.index + name.length, found.index + name.length + 30));
    uses = Object.fromEntries(Object.entries(__patterns).map(([kind, pattern]) => [kind,
      parts.some((part) => pattern.test(part))]));
    __known.set(name, uses);
  }
  return uses;
}

/** __guess makes up a value for a field, by its name and by what the code does with it. */
function __guess(name, code, depth, index) {
  const uses = __uses(name, code);
  const lower = name.toLowerCase();
  if (uses.list) return depth > 1 ? []
    : [0, 1, 2].map((i) => (uses.joined ? __words[i] : __object(code, depth + 1, i)));
  if (uses.text) return __text(lower, index);
  if (uses.number || /(count|amount|price|total|score|id|number|size|age|year|index|quantity|rate|value)$/.test(lower))
    return 17.25 * (index + 1) - 3;
  if (/^(is|has)[A-Z]/.test(name) || /(enabled|success|active)$/.test(lower)) return index % 2 === 0;
  if (depth < 2 && uses.object) return __object(code, depth + 1, index);
  return __text(lower, index);
}

function __text(name, index) {
  if (/(date|time|_at|created|updated|start|end)$/.test(name))
    return new Date(__now - 86_400_000 * (index + 1)).toISOString();
  if (/(url|link|href)$/.test(name)) return `https://example.com/${name}/${index}?q=a%20b#top`;
  if (/email/.test(name)) return `person${index}@example.com`;
  if (/phone/.test(name)) return `+1 555 010${index}`;
  if (/(html)$/.test(name)) return `<p class="x">Hello <b>${index}</b></p><a href="/next">more</a>`;
  if (/(csv)$/.test(name)) return 'id,name\n1,Ann\n2,"Bob, the 2nd"\n';
  if (/(json|output|content|text|response|message|data|body)$/.test(name))
    return '```json\n{"title": "A title", "items": [{"id": 1, "name": "x"}], "score": 0.5}\n```';
  return __words[index % __words.length];
}

const __common = new Set(('json map filter forEach reduce some every find findIndex flatMap join push sort split trim toLowerCase toUpperCase replace match '
  + 'includes substring startsWith endsWith slice charAt length all first last item items toFixed parse stringify log keys values entries now floor '
  + 'round min max abs random toISOString getTime concat test exec isArray from assign constructor prototype error warn binary pairedItem helpers').split(' '));

let __fields;

/** __object makes up an object with the fields that code asks for. */
function __object(code, depth, index) {
  if (!__fields) {
    const names = new Set();
    for (const found of code.matchAll(/(?:\.|\[['"])([a-zA-Z_][\w]*)(?:['"]\])?/g)) {
      if (!__common.has(found[1])) names.add(found[1]);
    }
    for (const found of code.matchAll(/\{\s*([\w\s,]+)\}\s*=\s/g)) {
      for (const name of found[1].split(',')) if (name.trim()) names.add(name.trim());
    }
    __fields = [...names];
  }
  const out = {};
  for (const name of __fields.slice(0, [24, 8, 4][depth])) out[name] = __guess(name, code, depth, index);
  return out;
}

function __item(code, index) {
  return { json: __object(code, 0, index), pairedItem: { item: index } };
}

function __inputs(code) {
  return [0, 1, 2].map((index) => __item(code, index));
}

/** __around returns the variables that n8n gives to code, for an item. */
function __around(code, items, index) {
  const data = (name) => ({
    all: () => items, first: () => items[0], last: () => items.at(-1), item: items[index],
    itemMatching: (i) => items[i], params: {}, context: {},
    isExecuted: true, json: items[index].json, pairedItem: () => items[index], name,
  });
  const $ = (name) => data(name);
  const named = new Proxy({}, { get: (_, name) => (typeof name === 'string' ? data(name) : undefined) });
  const secret = new Proxy({}, { get: (_, name) => (typeof name === 'string' ? `value-of-${name}` : undefined) });
  const statics = {};
  return {
    $, $input: data('input'), $json: items[index].json, $node: named, $items: () => items,
    $item: (i) => ({ $json: items[i]?.json, $node: named }),
    $env: secret, $vars: secret, $secrets: secret, $itemIndex: index, $runIndex: 0, $mode: 'manual', $binary: {},
    $workflow: { id: 'w1', name: 'Workflow', active: true }, $execution: { id: '7', mode: 'test',
      resumeUrl: 'https://example.com/resume' },
    $prevNode: { name: 'Before', outputIndex: 0, runIndex: 0 }, $parameter: {}, $getWorkflowStaticData: () => statics,
    getWorkflowStaticData: () => statics,
    items, item: items[index], $jmespath: (...args) => require('jmespath').search(...args),
    $if: (test, yes, no) => (test ? yes : no), $ifEmpty: (value, other) => (value ? value : other),
  };
}

function __helpers() {
  const refuse = async () => { throw new Error('there is no network'); };
  return { helpers: {
    httpRequest: refuse, request: refuse, getBinaryDataBuffer: async () => Buffer.from('name,age\nAnn,31\nBob,25\n'),
    prepareBinaryData: async (data, fileName, mimeType) => ({ data: Buffer.from(data).toString('base64'), fileName,
      mimeType }),
  } };
}

/** __run runs a node, once for all items or for each, and prints its result or its error. */
async function __run(node, code, each) {
  const items = __inputs(code);
  const print = console.log.bind(console);
  let result;
  try {
    if (each) {
      result = [];
      for (let index = 0; index < items.length; index++) result.push(await node.call(__helpers(),
        __around(code, items, index)));
    } else {
      result = await node.call(__helpers(), __around(code, items, 0));
    }
    print(`@result ${JSON.stringify(result)}`);
  } catch (error) {
    // The engine's own texts, which are others here, also come behind what the code says, and values in quotes.
    const said = /^(TypeError|SyntaxError|ReferenceError|RangeError)$/.test(error?.name) ? ''
      : String(error?.message ?? error);
    print(`@error ${error?.name}: ${said.split(/[:'"`]/)[0]}`);
  }
}
