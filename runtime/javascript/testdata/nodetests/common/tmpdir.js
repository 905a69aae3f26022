// What Node's tests require as '../common/tmpdir': an empty directory for what a test writes.
'use strict';
const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');

const dir = '/test/.tmp.0';

module.exports = {
  path: dir,
  refresh() {
    fs.rmSync(dir, { recursive: true, force: true });
    fs.mkdirSync(dir);
  },
  resolve: (...paths) => path.resolve(dir, ...paths),
  fileURL: (...paths) => pathToFileURL(path.resolve(dir + path.sep, ...paths)),
  hasEnoughSpace: () => false,
};
