# Leaves the project by a path.
# ends: exception
open('/../../../../etc/passwd').read()
