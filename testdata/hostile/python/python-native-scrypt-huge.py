# Asks for scrypt with more memory than there is.
# ends: exception MemoryError
import hashlib
hashlib.scrypt(b'p', salt=b's', n=2**19, r=16, p=1, maxmem=2**31 - 1)
