import base64
import copy
import pickle
import struct
import array
import collections


class Node:
    def __init__(self, value, next=None): self.value, self.next = value, next
    def __reduce__(self): return Node, (self.value, self.next)
    def __deepcopy__(self, memo): return Node(copy.deepcopy(self.value, memo), self.next)


ring = [1, {'x': (2, 3)}]
ring.append(ring)
again = pickle.loads(pickle.dumps(ring))
print(again[2] is again, pickle.loads(pickle.dumps(Node([1], Node(2)))).next.value, copy.deepcopy(Node([7])).value)
print(pickle.dumps({'a': [1, 2.5, None, b'x', 'é', 2 ** 70]}, 2), struct.pack('<hIq4sd', -2, 7, -1, b'ab', 1.5),
      struct.unpack('>Hf', b'\x00\x01?\x80\x00\x00'))
print(base64.b64encode(bytes(range(20))), base64.b32encode(b'hello'), base64.urlsafe_b64decode('-_8='),
      array.array('h', [1, -2]).tobytes(), bytes.fromhex('ff 0a').hex(':'), int.from_bytes(b'\x01\x00', 'little'))
ChainMap = collections.ChainMap({'a': 1}, {'a': 2, 'b': 3})
print(ChainMap['a'], ChainMap['b'], memoryview(b'abcdef')[1:4].tolist(), bytearray(b'abc') + b'd')
