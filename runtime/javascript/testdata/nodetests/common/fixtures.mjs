// What Node's tests that are ES modules import as '../common/fixtures.mjs'.
import fixtures from './fixtures.js';

export const { fixturesDir, path, fileURL, readSync, readKey, readKeys } = fixtures;
export default fixtures;
