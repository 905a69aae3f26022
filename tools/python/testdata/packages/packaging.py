# Debian: python3-packaging python3-pyparsing; modules: !packaging
from packaging.markers import Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

print([str(v) for v in sorted(map(Version, ['1.10', '1.9', '1.0rc1', '1.0', '1.0.post1', '2!0.1', '1.0.dev3']))])
print(Version('1.2.3+local.1').local, Version('1.0a1').is_prerelease,
      list(SpecifierSet('>=1.2,!=1.5,<2').filter(['1.1', '1.2', '1.5', '1.9', '2.0'])))
requirement = Requirement('requests[security,socks]>=2.8.1,==2.8.*; python_version < "3.0"')
print(requirement.name, sorted(requirement.extras), requirement.specifier, requirement.marker,
      requirement.marker.evaluate({'python_version': '2.7'}))
print(Marker("os_name == 'a' or os_name == 'b'").evaluate({'os_name': 'b'}))
try:
    Requirement('not a requirement')
except InvalidRequirement as error:
    print(str(error).splitlines()[0])
