// What an Interface does with keys: it edits a line as a terminal shows it, with a history and completion.
(function (kernel, require, module, exports) {
  'use strict';
  const { cursorTo, moveCursor, clearScreenDown } = require('internal/readline/cursor');
  const { inspect } = require('util');

  const ending = /\r\n|\n|\r/g;
  const wide = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
  const widthOf = (text) => {
    let width = 0;
    for (const character of text) width += wide.test(character) ? 2 : 1;
    return width;
  };
  const reversed = (text) => [...text].reverse().join('');
  const commonPrefix = (words) => {
    let prefix = words[0] ?? '';
    for (const word of words) while (!word.startsWith(prefix)) prefix = prefix.slice(0, -1);
    return prefix;
  };

  // edit gives an Interface its methods for a terminal.
  exports.edit = (rl, { completer, history, historySize, removeHistoryDuplicates, tabSize }) => {
    rl.history = history;
    rl.historySize = historySize;
    rl.historyIndex = -1;
    rl.prevRows = 0;
    let previousKey;
    let unfinished = ''; // the line before one of the history was chosen
    let sawReturn = false;
    const { output } = rl;

    const columns = () => output?.columns ?? Infinity;
    const positionOf = (text) => {
      let offset = 0;
      let rows = 0;
      for (const character of text) {
        if (character === '\n') {
          rows += Math.ceil(offset / columns()) || 1;
          offset = 0;
        } else {
          offset += character === '\t' ? tabSize - (offset % tabSize) : widthOf(character);
        }
      }
      const width = columns();
      if (width === Infinity) return { cols: offset, rows };
      return { cols: offset % width, rows: rows + Math.floor(offset / width) };
    };
    rl.getCursorPos = () => positionOf(rl.getPrompt() + rl.line.slice(0, rl.cursor));
    const show = (text) => { output?.write(text); };
    const refresh = () => {
      const line = rl.getPrompt() + rl.line;
      const whole = positionOf(line);
      const cursor = rl.getCursorPos();
      if (rl.prevRows > 0) moveCursor(output, 0, -rl.prevRows);
      cursorTo(output, 0);
      clearScreenDown(output);
      show(line);
      if (whole.cols === 0) show(' '); // so that the terminal has a new line
      cursorTo(output, cursor.cols);
      if (whole.rows > cursor.rows) moveCursor(output, 0, cursor.rows - whole.rows);
      rl.prevRows = cursor.rows;
    };
    rl.refresh = refresh;
    const insert = (text) => {
      if (rl.cursor < rl.line.length) {
        rl.line = rl.line.slice(0, rl.cursor) + text + rl.line.slice(rl.cursor);
        rl.cursor += text.length;
        refresh();
        return;
      }
      const before = rl.getCursorPos();
      rl.line += text;
      rl.cursor += text.length;
      if (before.rows < rl.getCursorPos().rows) refresh();
      else show(text);
    };
    const move = (distance) => {
      if (distance === 0) return;
      const before = rl.getCursorPos();
      rl.cursor = Math.max(0, Math.min(rl.line.length, rl.cursor + distance));
      const after = rl.getCursorPos();
      if (before.rows === after.rows) moveCursor(output, after.cols - before.cols, 0);
      else refresh();
    };
    const cut = (from, to) => {
      if (from === to) return;
      rl.line = rl.line.slice(0, from) + rl.line.slice(to);
      rl.cursor = from;
      refresh();
    };
    const replace = (line) => {
      rl.line = line;
      rl.cursor = line.length;
      refresh();
    };
    const wordBefore = (word) => word.exec(reversed(rl.line.slice(0, rl.cursor)))[0].length;
    const wordAfter = (word) => word.exec(rl.line.slice(rl.cursor))?.[0].length ?? 0;
    const before = (distance) => String.fromCodePoint([...rl.line.slice(0, rl.cursor)].pop()?.codePointAt(0) ??
      0).length * distance;
    const after = (distance) => (rl.line.codePointAt(rl.cursor) > 0xffff ? 2 : 1) * distance;

    const remember = () => {
      const { line } = rl;
      if (line === '' || !rl.history || rl.historySize === 0 || line.trim() === '') return line;
      if (rl.history[0] !== line) {
        if (removeHistoryDuplicates && rl.history.includes(line)) rl.history.splice(rl.history.indexOf(line), 1);
        rl.history.unshift(line);
        if (rl.history.length > rl.historySize) rl.history.pop();
      }
      rl.historyIndex = -1;
      rl.emit('history', rl.history);
      return line;
    };
    const finish = () => {
      const line = remember();
      rl.clearLine();
      rl.take(line);
    };
    rl.clearLine = () => {
      move(Infinity);
      show('\r\n');
      rl.line = '';
      rl.cursor = 0;
      rl.prevRows = 0;
    };
    const choose = (step) => {
      const index = rl.historyIndex + step;
      if (index < -1 || index >= rl.history.length) return;
      if (rl.historyIndex === -1) unfinished = rl.line;
      rl.historyIndex = index;
      replace(index === -1 ? unfinished : rl.history[index]);
    };
    const complete = (again) => {
      rl.pause();
      completer(rl.line.slice(0, rl.cursor), (error, value) => {
        rl.resume();
        if (error) {
          show(`Tab completion error: ${inspect(error)}`);
          return;
        }
        const [words, part] = value;
        if (!words || words.length === 0) return;
        const prefix = commonPrefix(words.filter((word) => word !== ''));
        if (prefix.startsWith(part) && prefix.length > part.length) {
          insert(prefix.slice(part.length));
          return;
        }
        if (!part.startsWith(prefix)) {
          rl.line = rl.line.slice(0, rl.cursor - part.length) + prefix + rl.line.slice(rl.cursor);
          rl.cursor += prefix.length - part.length;
          refresh();
          return;
        }
        if (!again) return;
        show(table(words));
        refresh();
      });
    };
    const table = (words) => {
      const width = Math.max(...words.map(widthOf)) + 2;
      let perLine = Math.floor(columns() / width) || 1;
      if (perLine === Infinity) perLine = 1;
      let text = '\r\n';
      let inLine = 0;
      let space = 0;
      for (const word of words) {
        if (word === '' || inLine === perLine) {
          text += '\r\n';
          inLine = space = 0;
        } else {
          text += ' '.repeat(space);
        }
        if (word === '') {
          text += '\r\n';
        } else {
          text += word;
          space = width - widthOf(word);
          inLine++;
        }
      }
      return inLine === 0 ? text : `${text}\r\n\r\n`;
    };

    const wordsBack = { move: /^\s*(?:[^\w\s]+|\w+)?/, cut: /^\s*(?:\W+|\w+)?/ };
    const wordsOn = { move: /^(?:\s+|[^\w\s]+|\w+)\s*/, cut: /^(?:\s+|\W+|\w+)\s*/ };
    const interrupt = () => { if (rl.listenerCount('SIGINT') > 0) rl.emit('SIGINT'); else rl.close(); };
    const cutWordBack = () => { cut(rl.cursor - wordBefore(wordsBack.cut), rl.cursor); };
    const cutWordOn = () => { cut(rl.cursor, rl.cursor + wordAfter(wordsOn.cut)); };
    const moveWordBack = () => { move(-wordBefore(wordsBack.move)); };
    const moveWordOn = () => { move(wordAfter(wordsOn.move)); };
    const plain = {
      backspace() { if (rl.cursor > 0) cut(rl.cursor - before(1), rl.cursor); },
      delete() { if (rl.cursor < rl.line.length) cut(rl.cursor, rl.cursor + after(1)); },
      left() { if (rl.cursor > 0) move(-before(1)); },
      right() { if (rl.cursor < rl.line.length) move(after(1)); },
      home() { move(-Infinity); },
      end() { move(Infinity); },
      up() { choose(1); },
      down() { choose(-1); },
    };
    const withControl = {
      c: interrupt, h: plain.backspace, u() {
        cut(0, rl.cursor);
      }, k() { rl.line = rl.line.slice(0, rl.cursor); refresh(); },
      d() { if (rl.line === '') rl.close(); else plain.delete(); },
      a: plain.home, e: plain.end, b: plain.left, f: plain.right, n: plain.down, p: plain.up,
      l() { cursorTo(output, 0, 0); clearScreenDown(output); refresh(); },
      w: cutWordBack, backspace: cutWordBack, delete: cutWordOn, left: moveWordBack, right: moveWordOn, z() {},
    };
    const withMeta = { b: moveWordBack, f: moveWordOn, d: cutWordOn, delete: cutWordOn, backspace: cutWordBack };
    const own = (actions, name) => (Object.hasOwn(actions, name ?? '') ? actions[name] : undefined);

    // press does what a key, or a text that is written, stands for.
    return (text, key = {}) => {
      const again = previousKey?.name === 'tab';
      previousKey = key;
      const sawBefore = sawReturn;
      sawReturn = false;
      if (key.ctrl && !key.shift) {
        const action = own(withControl, key.name);
        if (action) action();
        return;
      }
      if (key.meta) {
        const action = own(withMeta, key.name);
        if (action) action();
        return;
      }
      const action = own(plain, key.name);
      if (action) {
        action();
      } else if (key.name === 'return') {
        sawReturn = true;
        finish();
      } else if (key.name === 'enter') {
        if (!sawBefore) finish();
      } else if (key.name === 'tab' && completer && rl.isCompletionEnabled) {
        complete(again);
      } else if (typeof text === 'string' && text !== '') {
        const lines = text.split(ending);
        const last = lines.pop();
        for (const line of lines) {
          insert(line);
          finish();
        }
        insert(last);
      }
    };
  };
})
