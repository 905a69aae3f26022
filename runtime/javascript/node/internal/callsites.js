// What Error.prepareStackTrace gets for each frame, with the methods of V8 and the lines and columns of the author. It
// is loaded when a script sets a function there.
(function (kernel) {
  'use strict';
  const { frames, host, uncurry, slice } = kernel;
  const names = ['getFileName', 'getFunctionName', 'getLineNumber', 'getColumnNumber', 'isNative'];
  const raw = {};
  for (let i = 0; i < names.length; i++) raw[names[i]] = uncurry(frames[names[i]]);
  const lastIndexOf = uncurry(String.prototype.lastIndexOf);

  // place returns where a frame is: {file, line, column}, all null for native functions.
  const place = (site) => {
    const file = raw.isNative(site) ? null : raw.getFileName(site);
    if (typeof file !== 'string') return { file: null, line: null, column: null };
    const text = host('error.stack', `    at x (${file}:${raw.getLineNumber(site)}:${raw.getColumnNumber(site)})`, 1);
    const second = lastIndexOf(text, ':');
    const first = lastIndexOf(text, ':', second - 1);
    const path = slice(text, 10, first);
    return { file: slice(path, 0, 8) === 'toolrun:' ? `node:internal/${slice(path, 8)}` : path,
      line: +slice(text, first + 1, second), column: +slice(text, second + 1, text.length - 1) };
  };
  const functionName = (site) => {
    const name = raw.getFunctionName(site);
    return typeof name === 'string' && name !== '' && name !== '<anonymous>' ? name : null;
  };
  const methods = {
    getThis() { return undefined; },
    getTypeName() { return null; },
    getFunction() { return undefined; },
    getFunctionName() { return functionName(this); },
    getMethodName() { return null; },
    getFileName() { return place(this).file; },
    getLineNumber() { return place(this).line; },
    getColumnNumber() { return place(this).column; },
    getEvalOrigin() { return undefined; },
    isToplevel() { return true; },
    isEval() { return raw.getFileName(this) === '<input>'; },
    isNative() { return raw.isNative(this); },
    isConstructor() { return false; },
    isAsync() { return false; },
    isPromiseAll() { return false; },
    getPromiseIndex() { return null; },
    getScriptNameOrSourceURL() { return place(this).file; },
    getScriptHash() { return ''; },
    getEnclosingLineNumber() { return place(this).line; },
    getEnclosingColumnNumber() { return place(this).column; },
    getPosition() { return 0; },
    toString() {
      const { file, line, column } = place(this);
      const at = file === null ? '<anonymous>' : `${file}:${line}:${column}`;
      const name = functionName(this);
      return name === null ? at : `${name} (${at})`;
    },
  };
  const all = Reflect.ownKeys(methods);
  for (let i = 0; i < all.length; i++) kernel.put(frames, all[i], methods[all[i]], false);
})
