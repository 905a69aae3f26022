# Loads a pickle that calls system.
# ends: exception AttributeError
import pickle
pickle.loads(b'cos\nsystem\n(S"ls"\ntR.')
