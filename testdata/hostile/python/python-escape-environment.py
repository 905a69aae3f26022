# Reads the environment.
# ends: returns {'HOME': '/'}
import os
dict(os.environ)
