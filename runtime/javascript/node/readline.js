// readline: the lines of a stream, and of one that stands for a terminal. Nobody answers at standard input: question
// says so.
(function (kernel, require, module, exports) {
  'use strict';
  const { EventEmitter } = require('events');
  const { Readable } = require('stream');
  const { StringDecoder } = require('string_decoder');
  const errors = require('internal/errors');
  const { validateAbortSignal, validateArray, validateNumber, validateUint32 } = require('internal/validators');
  const { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, AbortError } = errors;

  errors.define('ERR_USE_AFTER_CLOSE', Error, (name) => `${name} was closed`);
  const ending = /\r\n|\n|\r/;
  const hide = (object, values) => {
    for (const name of Object.keys(values))
      Object.defineProperty(object, name, { value: values[name], writable: true, configurable: true });
  };

  function Interface(input, output, completer, terminal) {
    if (!(this instanceof Interface)) return new Interface(input, output, completer, terminal);
    EventEmitter.call(this);
    let options = {};
    if (input?.input !== undefined || (typeof input === 'object' && input !== null && typeof input.on !== 'function')) {
      options = input;
      ({ input, output, completer, terminal } = options);
    }
    const ask = input === undefined || input === null; // standard input, which is empty
    input ??= Readable.from([]);
    if (typeof input === 'string') input = Readable.from([input]);
    if (typeof input.on !== 'function') throw ERR_INVALID_ARG_TYPE('input', 'Stream', input);
    const {
      signal, escapeCodeTimeout = 500, tabSize = 8, historySize = 30, history = [], removeHistoryDuplicates = false,
    } = options;
    validateAbortSignal(signal, 'options.signal');
    if (!Number.isFinite(escapeCodeTimeout)) throw ERR_INVALID_ARG_VALUE('input.escapeCodeTimeout', escapeCodeTimeout);
    validateUint32(tabSize, 'tabSize', true);
    if (completer !== undefined && completer !== null && typeof completer !== 'function')
      throw ERR_INVALID_ARG_VALUE('completer', completer);
    validateArray(history, 'history');
    validateNumber(historySize, 'historySize', 0);
    this.input = input;
    this.output = output;
    this.terminal = !!(terminal ?? output?.isTTY);
    this.line = '';
    this.cursor = 0;
    this.closed = false;
    this.paused = false;
    this.escapeCodeTimeout = escapeCodeTimeout;
    const prompt = options.prompt ?? '> ';
    hide(this, { promptText: prompt, previousPrompt: prompt, answer: null, lines: null,
      stop: undefined, press: undefined, refresh: undefined, asks: ask });

    const onError = (error) => { this.emit('error', error); };
    const onAbort = () => { this.close(); };
    const listeners = this.terminal
      ? this.readKeys({ completer, history, historySize, removeHistoryDuplicates, tabSize }) : this.readText();
    for (const type of Object.keys(listeners)) input.on(type, listeners[type]);
    input.on('error', onError);
    this.stop = () => {
      for (const type of Object.keys(listeners)) input.removeListener(type, listeners[type]);
      input.removeListener('error', onError);
      signal?.removeEventListener('abort', onAbort);
    };
    if (signal?.aborted) queueMicrotask(onAbort);
    else signal?.addEventListener('abort', onAbort, { once: true });
    input.resume();
  }
  Object.setPrototypeOf(Interface.prototype, EventEmitter.prototype);
  Object.setPrototypeOf(Interface, EventEmitter);
  const { prototype } = Interface;

  hide(prototype, {
    // readText returns the listeners of an input that is no terminal.
    readText() {
      const decoder = new StringDecoder('utf8');
      let rest = '';
      let afterReturn = false; // the last chunk has ended with \r, so that a \n belongs to it
      const data = (chunk) => {
        let text = rest + (typeof chunk === 'string' ? chunk : decoder.write(chunk));
        if (text === '') return;
        if (afterReturn && text[0] === '\n') text = text.slice(1);
        afterReturn = text.endsWith('\r');
        const lines = text.split(ending);
        rest = lines.pop();
        for (const line of lines) this.take(line);
      };
      const end = () => {
        rest += decoder.end();
        if (rest !== '') {
          const line = rest;
          rest = '';
          this.take(line);
        }
        this.close();
      };
      this.press = data;
      return { data, end };
    },
    // readKeys returns the listeners of a terminal.
    readKeys(options) {
      const { completer } = options;
      if (completer && completer.length !== 2) options.completer = this.completion(completer);
      this.press = require('internal/readline/editor').edit(this, options);
      require('internal/readline/keypress').emitKeypressEvents(this.input, this);
      this.input.setRawMode?.(true);
      return {
        keypress: (text, key) => { this.press(text, key); },
        end: () => {
          if (this.line !== '') this.emit('line', this.line);
          this.close();
        },
      };
    },
    // completion makes a completer with a callback.
    completion: (completer) => (line, callback) => {
      let found;
      try {
        found = completer(line);
      } catch (error) {
        callback(error);
        return;
      }
      callback(null, found);
    },
    // take tells of a line.
    take(line) {
      const { answer } = this;
      if (answer === null) {
        this.emit('line', line);
        return;
      }
      this.answer = null;
      this.promptText = this.previousPrompt;
      answer(line);
    },
    // ask shows a question. The next line is the answer.
    ask(query, answer) {
      if (this.closed) throw errors.ERR_USE_AFTER_CLOSE('readline');
      if (this.asks || this.input === require('process').stdin) {
        throw errors.unavailable('readline.question',
          'nobody answers while code runs, so put the answers into the code or a file');
      }
      if (this.answer !== null) {
        this.prompt();
        return;
      }
      this.previousPrompt = this.promptText;
      this.promptText = query;
      this.answer = answer;
      this.prompt();
    },
  });
  prototype.getPrompt = function () { return this.promptText; };
  prototype.setPrompt = function (prompt) { this.promptText = prompt; };
  prototype.prompt = function (keepCursor) {
    if (this.paused && !this.closed) this.resume();
    if (this.terminal) {
      if (!keepCursor) this.cursor = 0;
      this.refresh();
    } else {
      this.output?.write?.(this.promptText);
    }
  };
  prototype.pause = function () {
    if (this.paused) return undefined;
    this.input.pause();
    this.paused = true;
    this.emit('pause');
    return this;
  };
  prototype.resume = function () {
    if (!this.paused) return undefined;
    this.input.resume();
    this.paused = false;
    this.emit('resume');
    return this;
  };
  prototype.close = function () {
    if (this.closed) return;
    this.pause();
    if (this.terminal) this.input.setRawMode?.(false);
    this.closed = true;
    this.stop();
    this.emit('close');
  };
  prototype.write = function (text, key) {
    if (this.paused) this.resume();
    if (this.terminal) this.press(text, key ?? undefined);
    else if (text !== undefined && text !== null) this.press(text);
  };
  prototype.question = function (query, options, callback) {
    if (typeof options === 'function') [options, callback] = [{}, options];
    const signal = options?.signal;
    validateAbortSignal(signal, 'options.signal');
    if (signal?.aborted) return;
    if (typeof callback !== 'function') return;
    this.ask(query, callback);
    signal?.addEventListener('abort', () => { if (this.answer === callback) this.take(''); }, { once: true });
  };
  prototype.question[Symbol.for('nodejs.util.promisify.custom')] = function question(query, options) {
    return new Promise((resolve, reject) => {
      const signal = options?.signal;
      const fail = () => { reject(new AbortError(undefined, { cause: signal.reason })); };
      if (signal?.aborted) {
        fail();
        return;
      }
      this.ask(query, resolve);
      signal?.addEventListener('abort', () => {
        this.answer = null;
        fail();
      }, { once: true });
    });
  };
  prototype.getCursorPos = () => ({ rows: 0, cols: 0 });

  // Lines that nobody has taken yet wait in the iterator, and pause the interface if they are too many.
  const most = 1024;
  const iteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);
  const iterate = (rl) => {
    const lines = [];
    const waiting = [];
    let first = 0; // of the lines
    let paused = false;
    let failure = null;
    let over = rl.closed;
    const size = () => lines.length - first;
    const onLine = (line) => {
      if (waiting.length > 0) {
        waiting.shift().resolve({ value: line, done: false });
        return;
      }
      lines.push(line);
      if (!paused && size() > most) {
        paused = true;
        rl.pause();
      }
    };
    const end = () => {
      if (over) return;
      over = true;
      rl.removeListener('line', onLine);
      rl.removeListener('close', end);
      rl.removeListener('error', onError);
      for (const { resolve } of waiting.splice(0)) resolve({ value: undefined, done: true });
    };
    const onError = (error) => {
      if (waiting.length > 0) waiting.shift().reject(error);
      else failure = { error };
      end();
    };
    if (!over) {
      rl.on('line', onLine);
      rl.on('close', end);
      rl.on('error', onError);
    }
    return {
      __proto__: iteratorPrototype,
      async next() {
        if (size() > 0) {
          const value = lines[first];
          lines[first++] = undefined;
          if (size() === 0) lines.length = first = 0;
          if (paused && size() < 1) {
            paused = false;
            rl.resume();
          }
          return { value, done: false };
        }
        if (failure !== null) {
          const { error } = failure;
          failure = null;
          throw error;
        }
        if (over) return { value: undefined, done: true };
        return new Promise((resolve, reject) => { waiting.push({ resolve, reject }); });
      },
      async return() {
        end();
        rl.close();
        return { value: undefined, done: true };
      },
      throw(error) { onError(error); },
      [Symbol.asyncIterator]() { return this; },
      [Symbol.for('nodejs.watermarkData')]: { get size() {
        return size();
      }, get low() { return 1; }, get high() { return most; }, get isPaused() { return paused; } },
    };
  };
  prototype[Symbol.asyncIterator] = function () { return this.lines ??= iterate(this); };
  exports.Interface = Interface;
  exports.createInterface = function createInterface(...args) { return new Interface(...args); };
  for (const name of ['clearLine', 'clearScreenDown', 'cursorTo', 'moveCursor']) {
    exports[name] = { [name](...args) { return require('internal/readline/cursor')[name](...args); } }[name];
  }
  exports.emitKeypressEvents = (...args) => require('internal/readline/keypress').emitKeypressEvents(...args);
  Object.defineProperty(exports, 'promises', {
    get: () => require('readline/promises'), enumerable: true, configurable: true,
  });
})
