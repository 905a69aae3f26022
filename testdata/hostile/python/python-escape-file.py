# Reads a file of the host.
# ends: exception FileNotFoundError
open('/etc/passwd').read()
