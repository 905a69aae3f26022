# Adds up a product of three matrices one element after the other, in native code.
# ends: time limit
import numpy as np

a = np.ones((200, 200))
np.einsum('ij,jk,kl->il', a, a, a)
