// Blob and File (https://w3c.github.io/FileAPI/), and FormData (https://xhr.spec.whatwg.org/#interface-formdata).
(function (kernel, require, module, exports) {
  'use strict';
  const { slot, decorate, bytesOf } = kernel;
  const { inspect } = require('internal/inspect');
  const { TypeError } = globalThis;
  const encoder = new TextEncoder();
  const publish = (type) => {
    decorate(type.prototype, type.name);
    exports[type.name] = type;
  };

  const blobs = slot(); // {bytes, type}
  const typeOf = (type) => {
    type = `${type}`;
    return /[^\x20-\x7e]/.test(type) ? '' : type.toLowerCase();
  };
  // convert reads a list of parts: blobs, views and texts.
  const convert = (parts) => {
    const iterate = typeof parts === 'object' && parts !== null ? parts[Symbol.iterator] : undefined;
    if (typeof iterate !== 'function') {
      throw Object.assign(new TypeError('The "sources" argument must be an instance of Iterable.'),
        { code: 'ERR_INVALID_ARG_TYPE' });
    }
    const found = [];
    for (const part of { [Symbol.iterator]: () => Reflect.apply(iterate, parts, []) }) {
      found.push(blobs.get(part) !== undefined || bytesOf(part) !== undefined ? part : `${part}`);
    }
    return found;
  };
  const gather = (parts, endings) => {
    const chunks = [];
    let size = 0;
    for (const part of parts) {
      let bytes;
      if (typeof part === 'string') {
        bytes = encoder.encode((endings === 'native' ? part.replace(/\r\n?/g, '\n') : part).toWellFormed());
      } else if (blobs.get(part) !== undefined) {
        ({ bytes } = blobs.get(part));
      } else {
        const view = bytesOf(part);
        bytes = new Uint8Array(view.buffer, view.offset, view.length);
      }
      chunks.push(bytes);
      size += bytes.length;
    }
    const all = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  };

  // rounded rounds to the nearest whole number, and halves to even ones.
  const rounded = (n) => (n % 1 === 0.5 || n % 1 === -0.5 ? 2 * Math.round(n / 2) : Math.round(n));

  class Blob {
    constructor(parts = undefined, options = undefined) {
      const found = parts === undefined ? [] : convert(parts);
      if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function') {
        throw Object.assign(new TypeError('The "options" argument must be of type object.'),
          { code: 'ERR_INVALID_ARG_TYPE' });
      }
      const { endings: wanted = 'transparent', type = '' } = options ?? {};
      const endings = `${wanted}`;
      if (endings !== 'transparent' && endings !== 'native') {
        throw Object.assign(new TypeError(`The property 'options.endings' is invalid. Received ${inspect(endings)}`),
          { code: 'ERR_INVALID_ARG_VALUE' });
      }
      blobs.set(this, { bytes: gather(found, endings), type: typeOf(type) });
    }
    get size() { return blobs.of(this).bytes.length; }
    get type() { return blobs.of(this).type; }
    slice(start = 0, end = undefined, type = '') {
      const { bytes } = blobs.of(this);
      const blob = new Blob([], { type });
      const at = (n) => Math.min(Math.max(n < 0 ? bytes.length + rounded(n) : rounded(n) || 0, 0), bytes.length);
      const from = at(Number(start));
      blobs.of(blob).bytes = bytes.subarray(from, Math.max(from, end === undefined ? bytes.length : at(Number(end))));
      return blob;
    }
    async arrayBuffer() { return blobs.of(this).bytes.slice().buffer; }
    async bytes() { return blobs.of(this).bytes.slice(); }
    async text() { return new TextDecoder().decode(blobs.of(this).bytes); }
    stream() {
      const { bytes } = blobs.of(this);
      const chunk = 65536;
      let at = 0;
      return new ReadableStream({
        type: 'bytes',
        pull(controller) {
          if (at < bytes.length) controller.enqueue(bytes.slice(at, at += chunk));
          if (at >= bytes.length) {
            controller.close();
            controller.byobRequest?.respond(0);
          }
        },
      });
    }
    [inspect.custom](depth, options) {
      return depth < 0 ? this
        : `${this.constructor.name} ${inspect({ size: this.size, type: this.type }, { ...options, depth })}`;
    }
  }
  publish(Blob);
  // typed makes a blob of bytes that nothing changes. Its type can have characters that code cannot give.
  exports.typed = (bytes, type) => {
    const blob = Object.create(Blob.prototype);
    blobs.set(blob, { bytes, type });
    return blob;
  };
  kernel.inspect(blobs, 'Blob', ({ bytes, type }) => ['size', bytes.length, 'type', type]);

  const files = slot(); // {name, modified}
  class File extends Blob {
    constructor(parts, name, options = undefined) {
      if (arguments.length < 2) {
        throw Object.assign(new TypeError('The "fileBits" and "fileName" arguments must be specified'),
          { code: 'ERR_MISSING_ARGS' });
      }
      super(parts, options);
      const modified = options?.lastModified;
      files.set(this, {
        name: `${name}`.toWellFormed(), modified: modified === undefined ? Date.now() : Number(modified) || 0,
      });
    }
    get name() { return files.of(this).name; }
    get lastModified() { return files.of(this).modified; }
    [inspect.custom](depth, options) {
      const { size, type } = this;
      return depth < 0 ? this
        : `File ${inspect({ size, type, name: this.name, lastModified: this.lastModified }, { ...options, depth })}`;
    }
  }
  publish(File);

  // Clones share the bytes, which nothing changes.
  kernel.append(kernel.cloners, (value) => {
    const blob = blobs.get(value);
    if (blob === undefined) return undefined;
    const file = files.get(value);
    const copy = file === undefined ? new Blob([], { type: blob.type })
      : new File([], file.name, { type: blob.type, lastModified: file.modified });
    blobs.of(copy).bytes = blob.bytes;
    return copy;
  });

  const forms = slot(); // {entries}: a list of [name, value]
  const entryOf = (name, value, filename) => {
    name = `${name}`.toWellFormed();
    if (blobs.get(value) === undefined) return [name, `${value}`.toWellFormed()];
    if (files.get(value) === undefined || filename !== undefined) {
      value = new File([value], filename ?? value.name ?? 'blob',
        { type: value.type, lastModified: value.lastModified });
    }
    return [name, value];
  };
  const needs = (args, n, name) => {
    if (args.length < n) throw new TypeError(`FormData.${name} needs ${n} argument${n > 1 ? 's' : ''}`);
  };
  class FormData {
    constructor(form = undefined) {
      if (form !== undefined) throw new TypeError("Failed to construct 'FormData': there are no forms here");
      forms.set(this, { entries: [] });
    }
    append(name, value, filename = undefined) {
      needs(arguments, 2, 'append');
      if (arguments.length > 2 && blobs.get(value) === undefined)
        throw new TypeError('FormData.append takes a filename only for a Blob');
      forms.of(this).entries.push(entryOf(name, value, filename));
    }
    delete(name) {
      needs(arguments, 1, 'delete');
      const form = forms.of(this);
      form.entries = form.entries.filter(([key]) => key !== `${name}`);
    }
    get(name) {
      needs(arguments, 1, 'get');
      return forms.of(this).entries.find(([key]) => key === `${name}`)?.[1] ?? null;
    }
    getAll(name) {
      needs(arguments, 1, 'getAll');
      return forms.of(this).entries.filter(([key]) => key === `${name}`).map(([, value]) => value);
    }
    has(name) {
      needs(arguments, 1, 'has');
      return forms.of(this).entries.some(([key]) => key === `${name}`);
    }
    set(name, value, filename = undefined) {
      needs(arguments, 2, 'set');
      if (arguments.length > 2 && blobs.get(value) === undefined)
        throw new TypeError('FormData.set takes a filename only for a Blob');
      const form = forms.of(this);
      const entry = entryOf(name, value, filename);
      const at = form.entries.findIndex(([key]) => key === entry[0]);
      if (at < 0) {
        form.entries.push(entry);
      } else {
        form.entries[at] = entry;
        form.entries = form.entries.filter(([key], i) => i <= at || key !== entry[0]);
      }
    }
    // Iterators see what changes meanwhile.
    * entries() { for (let i = 0, form = forms.of(this); i < form.entries.length; i++) yield [...form.entries[i]]; }
    * keys() { for (let i = 0, form = forms.of(this); i < form.entries.length; i++) yield form.entries[i][0]; }
    * values() { for (let i = 0, form = forms.of(this); i < form.entries.length; i++) yield form.entries[i][1]; }
    forEach(callback, self = undefined) {
      if (typeof callback !== 'function') throw new TypeError('FormData.forEach needs a function');
      for (const [name, value] of this) callback.call(self, value, name, this);
    }
    [inspect.custom](depth, options) {
      const shown = {};
      for (const [name, value] of forms.of(this).entries) {
        if (!(name in shown)) shown[name] = value;
        else shown[name] = [...(Array.isArray(shown[name]) ? shown[name] : [shown[name]]), value];
      }
      return `FormData ${inspect(shown, options)}`;
    }
  }
  publish(FormData);
  kernel.inspect(forms, 'FormData', ({ entries }) => entries.flat(), ' => ');
  Object.defineProperty(FormData.prototype, Symbol.iterator,
    { value: FormData.prototype.entries, writable: true, configurable: true });
})
