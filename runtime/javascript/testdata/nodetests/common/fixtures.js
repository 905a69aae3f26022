// What Node's tests require as '../common/fixtures': the files in test/fixtures.
'use strict';
const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');

const fixturesDir = '/test/fixtures';
const fixture = (...names) => path.join(fixturesDir, ...names);
const readSync = (names, encoding) => fs.readFileSync(fixture(...[names].flat()), encoding);
const readKey = (name, encoding) => readSync(['keys', name], encoding);

module.exports = {
  fixturesDir,
  path: fixture,
  fileURL: (...names) => pathToFileURL(fixture(...names)),
  readSync,
  readKey,
  readKeys: (encoding, ...names) => names.map((name) => readKey(name, encoding)),
  get utf8TestText() { return readSync('utf8_test_text.txt', 'utf8'); },
  get utf8TestTextPath() { return fixture('utf8_test_text.txt'); },
};
