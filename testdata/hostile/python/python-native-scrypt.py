# Asks for scrypt that goes on for hours in little memory.
# ends: time limit
import hashlib
hashlib.scrypt(b'p', salt=b's', n=2**10, r=8, p=2**14, maxmem=2**30)
