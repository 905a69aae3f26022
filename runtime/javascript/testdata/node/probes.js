// Questions whose answers must be the same in Node and here. Both run this file. A probe takes plain values and returns text.
// In texts of the input, \uXXXX stands for a code unit, so that there can be surrogates by themselves.
const probes = (() => {
  'use strict';
  const units = (text) => text.replace(/\\u([0-9a-f]{4})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  const attempt = (f) => {
    try {
      return f();
    } catch (error) {
      return { threw: error?.name ?? typeof error };
    }
  };
  const parts = [
    'href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash',
  ];

  const url = ({ input, base, steps }) => {
    input = units(input);
    base = base === null ? undefined : units(base);
    const result = [attempt(() => URL.canParse(input, base))];
    const u = attempt(() => new URL(input, base));
    if (!(u instanceof URL)) return [...result, u];
    const show = () => {
      const shown = {};
      for (const part of parts) shown[part] = u[part];
      return { ...shown, params: [...u.searchParams], text: u.toString(), size: u.searchParams.size };
    };
    result.push(show());
    for (const [what, name, value] of steps) {
      const threw = attempt(() => {
        if (what === 'set') u[name] = units(value);
        else if (what === 'sort') u.searchParams.sort();
        else u.searchParams[what](units(name), units(value));
        return null;
      });
      result.push([threw, show()]);
    }
    return result;
  };

  const query = ({ input, list, steps }) => {
    const init = list ? list.map(([name, value]) => [units(name), units(value)]) : units(input);
    const p = new URLSearchParams(init);
    const show = () => [p.toString(), [...p], p.size, [...p.keys()], [...p.values()]];
    const result = [show()];
    for (const [what, name, value] of steps) {
      const args = what === 'sort' ? [] : value === null ? [units(name)] : [units(name), units(value)];
      result.push([attempt(() => p[what](...args)) ?? null, show()]);
    }
    return result;
  };

  const text = ({ label, fatal, ignoreBOM, pieces, input, room }) => {
    const result = [];
    for (const stream of [false, true]) {
      const decoder = attempt(() => new TextDecoder(units(label), { fatal, ignoreBOM }));
      if (decoder.threw) return decoder;
      result.push([decoder.encoding, decoder.fatal, decoder.ignoreBOM]);
      if (!stream) {
        const all = Uint8Array.from(pieces.flat());
        result.push(attempt(() => decoder.decode(all)), attempt(() => decoder.decode(all)));
        continue;
      }
      let decoded = '';
      result.push(attempt(() => {
        for (const piece of pieces) decoded += decoder.decode(Uint8Array.from(piece), { stream });
        return decoded + decoder.decode();
      }));
    }
    const encoder = new TextEncoder();
    const bytes = new Uint8Array(room);
    const { read, written } = encoder.encodeInto(units(input), bytes);
    result.push(Array.from(encoder.encode(units(input))), read, written, Array.from(bytes));
    return result;
  };

  const base64 = ({ input }) => [attempt(() => atob(units(input))), attempt(() => btoa(units(input)))];

  // describe tells all that can be seen of a value, in a way that does not depend on the engine.
  const describe = (value) => {
    const seen = new Map();
    const { toString } = Object.prototype;
    const inside = (v) => {
      if (typeof v === 'bigint') return `${v}n`;
      if (typeof v === 'symbol') return 'symbol';
      if (typeof v === 'number') return Object.is(v, -0) ? '-0' : `${v}`;
      if (typeof v === 'function') return 'function';
      if (typeof v !== 'object' || v === null) return JSON.stringify(v) ?? 'undefined';
      if (seen.has(v)) return `#${seen.get(v)}`;
      seen.set(v, seen.size);
      const prototype = Object.getPrototypeOf(v);
      const out = [toString.call(v), prototype === null ? 'no prototype' : Object.hasOwn(prototype, 'constructor')
        ? prototype.constructor.name : 'other'];
      const has = (type) => v instanceof type;
      if (has(Date)) out.push(`${v.getTime()}`);
      if (has(RegExp)) out.push(v.source, v.flags, v.lastIndex);
      if (has(Map)) out.push([...v].map(([key, item]) => [inside(key), inside(item)]));
      if (has(Set)) out.push([...v].map(inside));
      if (has(Number) || has(String) || has(Boolean) || has(BigInt)) out.push(inside(v.valueOf()));
      if (has(ArrayBuffer))
        out.push(Array.from(new Uint8Array(v)), v.resizable ?? false, v.maxByteLength ?? v.byteLength);
      if (ArrayBuffer.isView(v)) out.push(v.byteOffset, v.byteLength, inside(v.buffer));
      if (has(Error)) out.push(v.name);
      const hidden = ArrayBuffer.isView(v) || has(String) ? /^\d+$|^length$/ : has(Error) ? /^stack$/ : /^lastIndex$/;
      for (const key of Reflect.ownKeys(v)) {
        if (typeof key === 'symbol') {
          out.push('symbol');
        } else if (!hidden.test(key)) {
          const d = Object.getOwnPropertyDescriptor(v, key);
          out.push([key, d.enumerable, d.writable ?? 'accessor', 'value' in d ? inside(d.value) : '']);
        }
      }
      return out;
    };
    return inside(value);
  };

  const evaluate = (source) => new Function(`'use strict'; return (${source})`)();

  const clone = ({ source }) => {
    const value = attempt(() => ({ value: evaluate(source) }));
    if (value.threw) return 'none';
    const result = attempt(() => describe(structuredClone(value.value)));
    return result?.threw ? [result, 'failed'] : result;
  };

  // printed runs code with a console whose output is text. Only Node has such consoles to make.
  const printed = ({ source }) => {
    let out = '';
    const stream = { write(text) { out += text; } };
    new Function('console', `'use strict'; ${source}`)(
      new console.Console({ stdout: stream, stderr: stream, ignoreErrors: false }));
    return out;
  };

  return { url, query, text, base64, clone, console: printed };
})();
