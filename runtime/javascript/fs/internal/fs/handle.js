// A FileHandle is an open file, with promises.
(function (kernel, require, module, exports) {
  'use strict';
  const { EventEmitter } = require('events');
  const checks = require('internal/fs/checks');
  const files = require('internal/fs/files');

  exports.FileHandle = class FileHandle extends EventEmitter {
    #fd;
    constructor(fd) {
      super();
      this.#fd = fd;
    }
    get fd() { return this.#fd; }
    #use(syscall) {
      if (this.#fd < 0) throw Object.assign(new Error('file closed'), { code: 'EBADF', syscall });
      return this.#fd;
    }
    async close() {
      if (this.#fd < 0) return;
      const fd = this.#fd;
      this.#fd = -1;
      files.closeSync(fd);
      this.emit('close');
    }
    async read(...args) { return files.read(this.#use('read'), ...args); }
    async readv(buffers, position) { return files.readv(this.#use('readv'), buffers, position); }
    async write(...args) { return files.write(this.#use('write'), ...args); }
    async writev(buffers, position) { return files.writev(this.#use('writev'), buffers, position); }
    stat(options) { return kernel.asAnswer(() => files.fstatSync(this.#use('fstat'), options)); }
    truncate(length) { return kernel.asAnswer(() => { files.ftruncateSync(this.#use('ftruncate'), length); }); }
    sync() { return kernel.asAnswer(() => { files.fsyncSync(this.#use('fsync')); }); }
    datasync() { return kernel.asAnswer(() => { files.fdatasyncSync(this.#use('fdatasync')); }); }
    async readFile(options) {
      this.#use('read');
      return checks.readFile([this, options], true);
    }
    async writeFile(data, options) {
      this.#use('write');
      return checks.writeFile([this, data, options], true);
    }
    async appendFile(data, options) { return this.writeFile(data, options); }
    createReadStream(options) {
      return require('internal/fs/streams').createReadStream(null, { ...options, fd: this });
    }
    createWriteStream(options) {
      return require('internal/fs/streams').createWriteStream(null, { ...options, fd: this });
    }
    readLines(options) {
      return require('readline').createInterface({ input: this.createReadStream(options), crlfDelay: Infinity });
    }
    async chmod(mode) { return require('internal/fs/missing').fchmodSync(this.#use('fchmod'), mode); }
    async chown(uid, gid) { return require('internal/fs/missing').fchownSync(this.#use('fchown'), uid, gid); }
    async utimes(atime, mtime) {
      return require('internal/fs/missing').futimesSync(this.#use('futimes'), atime, mtime);
    }
  };
  if (Symbol.asyncDispose) exports.FileHandle.prototype[Symbol.asyncDispose] = function () { return this.close(); };
})
