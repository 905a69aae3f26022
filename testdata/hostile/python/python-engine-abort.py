# Ends the interpreter.
# ends: crash
import os
os.abort()
