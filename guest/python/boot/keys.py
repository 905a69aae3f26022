# Keys from passwords, which the host derives: without OpenSSL, hashlib has no scrypt, and a PBKDF2 that takes seconds.

INT_MAX = (1 << 31) - 1


def derive_key(hash_name, n, r, p, maxmem, size, password, salt):
    """Returns a key, or nothing if the host has no such hash, or scrypt cannot have these parameters."""
    password, salt = memoryview(password).tobytes(), memoryview(salt).tobytes()
    numbers = struct.pack('<6Q', n, r, p, maxmem, size, len(password))
    answer = fetch(b'H', hash_name.encode() + b'\0' + numbers + password + salt)
    if answer == b'M':
        raise MemoryError
    return answer[1:]


def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
    """Password based key derivation function 2 (PKCS #5 v2.0) with HMAC."""
    digest_size = hashlib.new(hash_name.lower()).digest_size
    size = digest_size if dklen is None else operator.index(dklen)
    iterations = operator.index(iterations)
    if iterations < 1:
        raise ValueError('iteration value must be greater than 0.')
    if iterations > INT_MAX:
        raise OverflowError('iteration value is too great.')
    if size < 1:
        raise ValueError('key length must be greater than 0.')
    if size > INT_MAX:
        raise OverflowError('key length is too great.')
    key = derive_key(hash_name.lower(), iterations, 0, 0, 0, size, password, salt)
    if not key:
        raise ValueError(f'unsupported hash type {hash_name}')
    return key


def scrypt(password, *, salt=None, n=None, r=None, p=None, maxmem=0, dklen=64):
    """scrypt password-based key derivation function."""
    if salt is None:
        raise TypeError('salt is required')
    for name, value in ('n', n), ('r', r), ('p', p):
        if not isinstance(value, int) or value < 0:
            raise TypeError(f'{name} is required and must be an unsigned int')
    if n < 2 or n & (n - 1):
        raise ValueError('n must be a power of 2.')
    if not 0 <= maxmem <= INT_MAX:
        raise ValueError(f'maxmem must be positive and smaller than {INT_MAX}')
    if not 1 <= dklen <= INT_MAX:
        raise ValueError(f'dklen must be greater than 0 and smaller than {INT_MAX}')
    maxmem = maxmem or 32 << 20
    need = 128 * r * (n + p + 2)
    if need > maxmem:
        raise ValueError(f'memory limit exceeded: these parameters need maxmem={need}')
    key = derive_key('', n, r, p, maxmem, dklen, password, salt)
    if not key:
        raise ValueError('Invalid parameter combination for n, r, p, maxmem.')
    return key


for function in pbkdf2_hmac, scrypt:
    function.__module__ = 'hashlib'
    setattr(hashlib, function.__name__, function)
