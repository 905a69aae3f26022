# Starts another process.
# ends: exception AttributeError
import os
os.fork()
