# Reads the environment.
# ends: returns {}
import os
dict(os.environ)
