// console.table, drawn as in Node.
(function (kernel) {
  'use strict';
  const { format, keys, join, indexOf, list, uncurry, slice, mapSize, mapEach, setSize, setEach } = kernel;
  const repeat = uncurry(kernel.String.prototype.repeat);
  const charCodeAt = uncurry(kernel.String.prototype.charCodeAt);
  const { hasOwn } = Object;
  const maxCell = 200; // characters

  const isObject = (value) => typeof value === 'object' && value !== null;
  const has = (f, value) => {
    try {
      f(value);
      return true;
    } catch {
      return false;
    }
  };

  // cell returns the text of a value on one line.
  const cell = (value) => {
    const text = typeof value === 'string' ? `'${value}'` : format(value);
    if (indexOf(text, '\n') < 0) return text.length > maxCell ? `${slice(text, 0, maxCell)}...` : text;
    let line = '';
    for (let i = 0; i < text.length && line.length < maxCell; i++) {
      if (text[i] !== '\n') {
        line += text[i];
        continue;
      }
      line += ' ';
      while (text[i + 1] === ' ') i++;
    }
    return text.length > maxCell ? `${slice(line, 0, maxCell)}...` : line;
  };

  // width returns the columns of a text in a font of fixed width: East Asian characters take two, and so do pairs of
  // surrogates, which most emoji are.
  const width = (text) => {
    let n = text.length;
    for (let i = 0; i < text.length; i++) {
      const c = charCodeAt(text, i);
      if ((c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
          (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60)) n++;
    }
    return n;
  };

  // rowsOf returns [{index, value, key}], and whether there is a column of keys.
  const rowsOf = (data) => {
    const rows = list();
    if (has(mapSize, data)) {
      mapEach(data, (value, key) => { rows[rows.length] = { index: `${rows.length}`, key, value }; });
      return { rows, index: '(iteration index)', keyed: true };
    }
    if (has(setSize, data)) {
      setEach(data, (value) => { rows[rows.length] = { index: `${rows.length}`, key: undefined, value }; });
      return { rows, index: '(iteration index)', keyed: false };
    }
    const names = keys(data);
    for (let i = 0; i < names.length; i++) rows[i] = { index: names[i], key: undefined, value: data[names[i]] };
    return { rows, index: '(index)', keyed: false };
  };

  const draw = (head, lines) => {
    const widths = list(); // of columns
    const taken = list(); // widths of cells, column by column
    for (let c = 0; c < head.length; c++) {
      let most = width(head[c]);
      for (let r = 0; r < lines.length; r++) {
        const w = width(lines[r][c]);
        taken[taken.length] = w;
        if (w > most) most = w;
      }
      widths[c] = most;
    }
    const rule = (left, middle, right) => {
      const parts = list();
      for (let c = 0; c < widths.length; c++) parts[c] = repeat('─', widths[c] + 2);
      return left + join(parts, middle) + right;
    };
    const row = (cells, widthOf) => {
      const parts = list();
      for (let c = 0; c < widths.length; c++) parts[c] = ` ${cells[c]}${repeat(' ', widths[c] - widthOf(c))} `;
      return `│${join(parts, '│')}│`;
    };
    const out = list([rule('┌', '┬', '┐'), row(head, (c) => width(head[c])), rule('├', '┼', '┤')]);
    for (let r = 0; r < lines.length; r++) out[out.length] = row(lines[r], (c) => taken[c * lines.length + r]);
    out[out.length] = rule('└', '┴', '┘');
    return join(out, '\n');
  };

  // table returns the table of data, or undefined if data has no rows. columns, if given, are the names of the columns
  // to show.
  kernel.table = (data, columns) => {
    if (!isObject(data)) return undefined;
    const { rows, index, keyed } = rowsOf(data);
    const names = list(); // of the columns
    const known = { __proto__: null };
    let values = false; // whether a row is not an object
    if (columns !== undefined) {
      for (let i = 0; i < columns.length; i++) names[i] = `${columns[i]}`;
    }
    for (let r = 0; r < rows.length && columns === undefined; r++) {
      const { value } = rows[r];
      if (!isObject(value)) {
        values = true;
        continue;
      }
      const own = keys(value);
      for (let i = 0; i < own.length; i++) {
        if (own[i] in known) continue;
        known[own[i]] = true;
        names[names.length] = own[i];
      }
    }
    const head = list([index]);
    if (keyed) head[1] = 'Key';
    for (let i = 0; i < names.length; i++) head[head.length] = names[i];
    if (values) head[head.length] = 'Values';
    const lines = list();
    for (let r = 0; r < rows.length; r++) {
      const { value, key } = rows[r];
      const cells = list([rows[r].index]);
      if (keyed) cells[1] = cell(key);
      for (let i = 0; i < names.length; i++) cells[cells.length] = isObject(value) && hasOwn(value, names[i])
        ? cell(value[names[i]]) : '';
      if (values) cells[cells.length] = isObject(value) ? '' : cell(value);
      lines[r] = cells;
    }
    return draw(head, lines);
  };
})
