const semver = require('semver');
return JSON.stringify([
  semver.satisfies('1.2.3-beta.1', '>=1.2.0'), semver.inc('1.2.3', 'minor'), semver.coerce('v2.5').version,
  semver.sort(['1.10.0', '1.9.0', '1.9.0-rc.1']),
  semver.minSatisfying(['1.0.0', '2.1.0', '2.3.0'], '^2.0.0'), semver.validRange('nope'),
  semver.diff('1.0.0', '2.0.0-a'),
]);
