# Runs a program.
# ends: exception OSError
import subprocess
subprocess.run(['ls'])
