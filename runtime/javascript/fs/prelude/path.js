// path: the built-in module for POSIX paths, as in Node. The working directory is the root.
(function (kernel) {
  'use strict';
  const { slice } = kernel;
  const lastIndexOf = kernel.uncurry(String.prototype.lastIndexOf);
  const endsWith = kernel.uncurry(String.prototype.endsWith);

  const check = (value, name, type = 'string') => {
    if (typeof value === type && value !== null) return value;
    throw kernel.builtin('internal/errors').ERR_INVALID_ARG_TYPE(name, type, value);
  };

  // clean removes empty parts and ".", and resolves "..". A ".." that leads above the beginning stays if above is set.
  const clean = (path, above) => {
    let out = '';
    for (let start = 0, i = 0; i <= path.length; i++) {
      if (i < path.length && path[i] !== '/') continue;
      const part = slice(path, start, i);
      start = i + 1;
      if (part === '' || part === '.') continue;
      if (part === '..') {
        const last = lastIndexOf(out, '/');
        if (out !== '' && slice(out, last + 1) !== '..') {
          out = last < 0 ? '' : slice(out, 0, last);
          continue;
        }
        if (!above) continue;
      }
      out += out === '' ? part : `/${part}`;
    }
    return out;
  };

  // ends returns where the last part of a path begins and ends, without slashes behind it.
  const ends = (path) => {
    let end = path.length;
    while (end > 0 && path[end - 1] === '/') end--;
    let start = end;
    while (start > 0 && path[start - 1] !== '/') start--;
    return { __proto__: null, start, end };
  };

  const lastPart = (path) => {
    const { start, end } = ends(path);
    return slice(path, start, end);
  };

  const extensionOf = (name) => {
    const dot = lastIndexOf(name, '.');
    return dot <= 0 || name === '..' ? '' : slice(name, dot);
  };

  const normalize = (path) => {
    if (check(path, 'path') === '') return '.';
    const root = path[0] === '/' ? '/' : '';
    let out = root + clean(path, root === '');
    if (out === '') out = '.';
    return out !== '/' && endsWith(path, '/') ? `${out}/` : out;
  };

  const resolve = (...paths) => {
    let out = '';
    for (let i = paths.length - 1; i >= 0 && out[0] !== '/'; i--) {
      if (check(paths[i], `paths[${i}]`) !== '') out = `${paths[i]}/${out}`;
    }
    return `/${clean(out, false)}`;
  };

  const path = {
    sep: '/',
    delimiter: ':',
    normalize,
    resolve,
    isAbsolute(path) { return check(path, 'path')[0] === '/'; },
    join(...paths) {
      let joined = '';
      for (let i = 0; i < paths.length; i++) {
        if (check(paths[i], 'path') !== '') joined += (joined === '' ? '' : '/') + paths[i];
      }
      return normalize(joined);
    },
    relative(from, to) {
      from = resolve(check(from, 'from'));
      to = resolve(check(to, 'to'));
      if (from === to) return '';
      if (from === '/') return slice(to, 1);
      // Go up to the common directory.
      let up = '';
      while (from !== '' && to !== from && slice(to, 0, from.length + 1) !== `${from}/`) {
        from = slice(from, 0, lastIndexOf(from, '/'));
        up += up === '' ? '..' : '/..';
      }
      const down = slice(to, from.length + 1);
      return up !== '' && down !== '' ? `${up}/${down}` : up + down;
    },
    dirname(path) {
      if (check(path, 'path') === '') return '.';
      const { start } = ends(path);
      if (start === 0) return path[0] === '/' ? '/' : '.';
      if (start === 1) return '/';
      return start === 2 && path[0] === '/' && path[1] === '/' ? '//' : slice(path, 0, start - 1);
    },
    basename(path, suffix) {
      const name = lastPart(check(path, 'path'));
      if (suffix === undefined || check(suffix, 'suffix') === '') return name;
      if (path === suffix) return '';
      return name !== suffix && endsWith(name, suffix) ? slice(name, 0, name.length - suffix.length) : name;
    },
    extname(path) { return extensionOf(lastPart(check(path, 'path'))); },
    parse(path) {
      const { start, end } = ends(check(path, 'path'));
      const root = path[0] === '/' ? '/' : '';
      const base = slice(path, start, end);
      const ext = extensionOf(base);
      return { root, dir: start > 1 ? slice(path, 0, start - 1) : root, base, ext,
        name: slice(base, 0, base.length - ext.length) };
    },
    format(parts) {
      const { root, dir, base, name, ext } = check(parts, 'pathObject', 'object');
      const last = base || `${name || ''}${ext ? (ext[0] === '.' ? '' : '.') + ext : ''}`;
      const first = dir || root;
      if (!first) return last;
      return first === root ? `${first}${last}` : `${first}/${last}`;
    },
    toNamespacedPath(path) { return path; },
    matchesGlob(path, pattern) { return kernel.builtin('internal/glob')(path, pattern, false); },
  };
  path.posix = path;
  // Not enumerable, since what imports path by name would load it.
  kernel.defineProperty(path, 'win32', { __proto__: null, get() {
    return kernel.builtin('path/win32');
  }, enumerable: false, configurable: true });
  kernel.modules.path = kernel.modules['path/posix'] = path;
})
