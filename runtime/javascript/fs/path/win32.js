// path/win32: paths of Windows, as in Node.
(function (kernel, require, module) {
  'use strict';
  const posix = require('path');
  const { validateString, validateObject } = require('internal/validators');

  const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/;
  const isSeparator = (c) => c === '\\' || c === '/';
  const hasDrive = (path) => /^[a-z]:/i.test(path);

  // root returns what a path begins with: the device (a drive or a share), whether the path is absolute, and where the
  // rest begins.
  const root = (path) => {
    const found = share.exec(path);
    if (found) return { device: `\\\\${found[1]}\\${found[2]}`, absolute: true, end: found[0].length, share: true };
    if (isSeparator(path[0])) return { device: '', absolute: true, end: 1 };
    if (!hasDrive(path)) return { device: '', absolute: false, end: 0 };
    const absolute = isSeparator(path[2]);
    return { device: path.slice(0, 2), absolute, end: absolute ? 3 : 2 };
  };

  // clean removes empty parts and ".", and resolves "..". A ".." that leads above the beginning stays if above is set.
  const clean = (path, above) => {
    const out = [];
    for (const part of path.split(/[\\/]/)) {
      if (part === '' || part === '.') continue;
      if (part !== '..') out.push(part);
      else if (out.length > 0 && out.at(-1) !== '..') out.pop();
      else if (above) out.push('..');
    }
    return out.join('\\');
  };

  const resolve = (...paths) => {
    let device = '';
    let tail = '';
    let absolute = false;
    for (let i = paths.length - 1; i >= -1; i--) {
      let path = paths[i];
      if (i >= 0) {
        validateString(path, `paths[${i}]`);
        if (path === '') continue;
      } else {
        path = process.cwd();
        if (device !== '' && path[2] === '\\' && path.slice(0, 2).toLowerCase() !== device.toLowerCase())
          path = `${device}\\`;
      }
      const at = root(path);
      if (at.device !== '') {
        if (device === '') device = at.device;
        else if (at.device.toLowerCase() !== device.toLowerCase()) continue;
      }
      if (!absolute) {
        tail = `${path.slice(at.end)}\\${tail}`;
        absolute = at.absolute;
      }
      if (absolute && device !== '') break;
    }
    tail = clean(tail, !absolute);
    return absolute ? `${device}\\${tail}` : `${device}${tail}` || '.';
  };

  const normalize = (path) => {
    validateString(path, 'path');
    if (path === '') return '.';
    if (path.length === 1) return isSeparator(path) ? '\\' : path;
    const { device, absolute, end, share: isShare } = root(path);
    if (isShare && end === path.length) return `${device}\\`;
    let tail = clean(path.slice(end), !absolute);
    if (tail === '' && !absolute) tail = '.';
    if (tail !== '' && end < path.length && isSeparator(path.at(-1))) tail += '\\';
    // What was relative must not become a path on a drive.
    if (!absolute && device === '' && (/:([\\/]|$)/.test(path) || hasDrive(tail))) return `.\\${tail}`;
    return absolute ? `${device}\\${tail}` : device + tail;
  };

  // last returns where the last part of a path begins and ends, without separators behind it, not before a place.
  const last = (path, from) => {
    let end = path.length;
    while (end > from && isSeparator(path[end - 1])) end--;
    let start = end;
    while (start > from && !isSeparator(path[start - 1])) start--;
    return { start, end };
  };
  const baseOf = (path, from = hasDrive(path) ? 2 : 0) => {
    const { start, end } = last(path, from);
    return path.slice(start, end);
  };
  const extensionOf = (base) => {
    const dot = base.lastIndexOf('.');
    return dot <= 0 || base === '..' ? '' : base.slice(dot);
  };
  // rootEnd is where the root ends, with the separator behind a share.
  const rootEnd = (path) => {
    const { end, share: isShare } = root(path);
    return isShare && end < path.length ? end + 1 : end;
  };

  const win32 = {
    sep: '\\',
    delimiter: ';',
    resolve,
    normalize,
    isAbsolute(path) {
      validateString(path, 'path');
      return isSeparator(path[0]) || (hasDrive(path) && isSeparator(path[2]));
    },
    join(...paths) {
      for (const path of paths) validateString(path, 'path');
      const given = paths.filter((path) => path !== '');
      if (given.length === 0) return '.';
      const joined = given.join('\\');
      return normalize(/^[\\/]{2}[^\\/]/.test(given[0]) ? joined : joined.replace(/^[\\/]{2,}/, '\\'));
    },
    relative(from, to) {
      validateString(from, 'from');
      validateString(to, 'to');
      if (from === to) return '';
      const whole = resolve(to);
      const parts = (path) => path.split('\\').filter((part) => part !== '');
      const a = parts(resolve(from));
      const b = parts(whole);
      let same = 0;
      while (same < a.length && same < b.length && a[same].toLowerCase() === b[same].toLowerCase()) same++;
      if (same === 0 && a.length > 0 && b.length > 0) return whole;
      return [...a.slice(same).fill('..'), ...b.slice(same)].join('\\');
    },
    toNamespacedPath(path) {
      if (typeof path !== 'string' || path === '') return path;
      const whole = resolve(path);
      if (whole.length <= 2) return path;
      if (/^\\\\[^?.]/.test(whole)) return `\\\\?\\UNC\\${whole.slice(2)}`;
      return /^[a-z]:\\/i.test(whole) ? `\\\\?\\${whole}` : whole;
    },
    dirname(path) {
      validateString(path, 'path');
      const from = rootEnd(path);
      if (from === path.length) return path || '.';
      const { start } = last(path, from);
      return start > from ? path.slice(0, start - 1) : path.slice(0, from) || '.';
    },
    basename(path, suffix) {
      if (suffix !== undefined) validateString(suffix, 'suffix');
      validateString(path, 'path');
      const base = baseOf(path);
      if (!suffix) return base;
      if (suffix === path) return '';
      return base !== suffix && base.endsWith(suffix) ? base.slice(0, base.length - suffix.length) : base;
    },
    extname(path) {
      validateString(path, 'path');
      return extensionOf(baseOf(path));
    },
    format(parts) {
      validateObject(parts, 'pathObject');
      const { root: top, dir, base, name, ext } = parts;
      const file = base || `${name || ''}${ext ? (ext[0] === '.' ? '' : '.') + ext : ''}`;
      const directory = dir || top;
      if (!directory) return file;
      return directory === top ? `${directory}${file}` : `${directory}\\${file}`;
    },
    parse(path) {
      validateString(path, 'path');
      const from = rootEnd(path);
      const { start, end } = last(path, from);
      const top = path.slice(0, from);
      const base = path.slice(start, end);
      const ext = extensionOf(base);
      return { root: top, dir: start > from ? path.slice(0, start - 1) : top, base,
        ext, name: base.slice(0, base.length - ext.length) };
    },
    matchesGlob: (path, pattern) => require('internal/glob')(path, pattern, true),
    posix,
  };
  win32.win32 = win32;
  module.exports = win32;
})
