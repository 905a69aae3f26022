// emitKeypressEvents: what a terminal sends, as keys.
(function (kernel, require, module, exports) {
  'use strict';
  const { StringDecoder } = require('string_decoder');

  // Names of keys by the code after the escape character, without the modifier.
  const names = new Map();
  const name = (key, codes, modifier) => {
    for (const code of codes.split(' ')) names.set(code, { name: key, modifier });
  };
  [...'ABCDE'].forEach((letter, i) => { name(`f${i + 1}`, `[[${letter}`); });
  [...'PQRS'].forEach((letter, i) => { name(`f${i + 1}`, `O${letter} [${letter}`); });
  [11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24].forEach((code, i) => { name(`f${i + 1}`, `[${code}~`); });
  ['up', 'down', 'right', 'left', 'clear', 'end', '', 'home'].forEach((key, i) => {
    if (key === '') return;
    const letter = 'ABCDEFGH'[i];
    name(key, `[${letter} O${letter}`);
    if (i >= 5) return;
    name(key, `[${letter.toLowerCase()}`, 'shift');
    name(key, `O${letter.toLowerCase()}`, 'ctrl');
  });
  ['home', 'insert', 'delete', 'end', 'pageup', 'pagedown', 'home', 'end'].forEach((key, i) => {
    name(key, `[${i + 1}~`);
    if (i === 0 || i === 3) return;
    name(key, `[${i + 1}$`, 'shift');
    name(key, `[${i + 1}^`, 'ctrl');
  });
  name('pageup', '[[5~');
  name('pagedown', '[[6~');
  name('paste-start', '[200~');
  name('paste-end', '[201~');
  name('tab', '[Z', 'shift');

  const controls = {
    '\r': 'return', '\n': 'enter', '\t': 'tab', '\b': 'backspace', '\x7f': 'backspace', '\x1b': 'escape', ' ': 'space',
  };
  const sequences = /^\x1b{1,2}(?:O(\d)?(\D)|(\[\[?)(?:(\d{1,3})(?:;(\d))?)?([^\d;]))/su;
  const beginnings = /^\x1b{1,2}(?:O\d?|\[\[?(?:\d{1,3}(?:;\d?)?)?)?$/;

  // next returns the first key of a text, or undefined if more must come before it is known. At the end, nothing comes.
  const next = (text, atEnd) => {
    const key = { sequence: undefined, name: undefined, ctrl: false, meta: false, shift: false };
    const escapes = text[0] !== '\x1b' ? 0 : text[1] === '\x1b' ? 2 : 1;
    const found = escapes > 0 ? sequences.exec(text) : null;
    if (found) {
      const [sequence, modifierO, letterO, bracket, number, modifierOf, letter] = found;
      let modifier = modifierO;
      key.sequence = sequence;
      if (bracket === undefined) {
        key.code = `O${letterO}`;
      } else if (/[~^$]/.test(letter)) {
        key.code = `${bracket}${number ?? ''}${letter}`;
        modifier = modifierOf;
      } else if (/[A-Za-z]/.test(letter) && (number === undefined || number.length === 1)) {
        key.code = bracket + letter;
        modifier = modifierOf ?? number;
      } else {
        key.code = sequence.slice(escapes);
      }
      const bits = (modifier ?? 1) - 1;
      key.ctrl = (bits & 4) !== 0;
      key.meta = (bits & 10) !== 0;
      key.shift = (bits & 1) !== 0;
      const known = names.get(key.code);
      key.name = known?.name ?? 'undefined';
      if (known?.modifier) key[known.modifier] = true;
      return { key, text: undefined };
    }
    if (escapes > 0 && beginnings.test(text)) {
      if (!atEnd) return undefined;
      key.sequence = text;
      key.name = /^\x1b+$/.test(text) ? 'escape' : 'undefined';
      key.meta = true;
      return { key, text: undefined };
    }
    const character = String.fromCodePoint(text.codePointAt(escapes));
    const escaped = escapes > 0;
    key.sequence = text.slice(0, escapes) + character;
    if (Object.hasOwn(controls, character)) {
      key.name = controls[character];
      key.meta = escaped;
    } else if (!escaped && character <= '\x1a') {
      key.name = String.fromCharCode(character.charCodeAt(0) + 96);
      key.ctrl = true;
    } else if (/^[0-9A-Za-z]$/.test(character)) {
      key.name = character.toLowerCase();
      key.shift = character !== key.name;
      key.meta = escaped;
    } else if (escaped) {
      key.meta = true;
    }
    return { key, text: escaped ? undefined : key.sequence };
  };

  const decoders = new WeakMap(); // of the streams that emit keys: what has come of a character or a key lasts
  exports.emitKeypressEvents = (stream, reader = {}) => {
    if (decoders.has(stream)) return;
    const decoder = new StringDecoder('utf8');
    decoders.set(stream, decoder);
    const { escapeCodeTimeout = 500 } = reader;
    let pending = '';
    let timer;
    const emit = (atEnd) => {
      while (pending !== '') {
        const found = next(pending, atEnd);
        if (found === undefined) return;
        pending = pending.slice(found.key.sequence.length);
        reader.isCompletionEnabled = pending === '';
        stream.emit('keypress', found.text, found.key);
      }
    };
    const onData = (chunk) => {
      if (stream.listenerCount('keypress') === 0) { // nobody watches
        stream.removeListener('data', onData);
        stream.on('newListener', onNewListener);
        return;
      }
      const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
      if (text === '') return;
      clearTimeout(timer);
      pending += text;
      emit(false);
      if (pending !== '') timer = setTimeout(emit, escapeCodeTimeout, true);
    };
    const onNewListener = (event) => {
      if (event !== 'keypress') return;
      stream.on('data', onData);
      stream.removeListener('newListener', onNewListener);
    };
    if (stream.listenerCount('keypress') > 0) stream.on('data', onData);
    else stream.on('newListener', onNewListener);
  };
})
