# Loads a pickled array that opens a file above the root.
# ends: exception
import io
import pickle

import numpy as np


class Opens:
    def __reduce__(self):
        return open, ('/../../etc/passwd',)


np.load(io.BytesIO(pickle.dumps(Opens())), allow_pickle=True)
