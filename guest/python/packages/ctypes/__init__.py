"""Stands for the package of this name, which packages import: numbers can be made, as on a 32-bit machine, and there
are no native libraries."""

import struct as _struct


def _refuse(*args, **kwargs):
    raise OSError("there are no native libraries here")


class _Meta(type):
    def __mul__(cls, length):
        return _Meta(f"{cls.__name__}_Array_{length}", (Array,), {"_type_": cls, "_length_": length})

    __rmul__ = __mul__


class _Data(metaclass=_Meta):
    from_address = from_buffer = from_buffer_copy = in_dll = classmethod(_refuse)

    @classmethod
    def from_param(cls, value):
        return value


class Array(_Data): __init__ = _refuse
class Structure(_Data): __init__ = _refuse
class Union(_Data): __init__ = _refuse
class _Pointer(_Data): __init__ = _refuse
class _CFuncPtr(_Data): __init__ = _refuse
class BigEndianStructure(Structure): pass
class LittleEndianStructure(Structure): pass
class ArgumentError(Exception): pass


class _SimpleCData(_Data):
    _type_ = "i"

    def __init__(self, value=0):
        self.value = value

    def __setattr__(self, name, value):
        super().__setattr__(name, self._value(value) if name == "value" else value)

    def _value(self, value):
        """The value as memory of this type has it."""
        kind = self._type_
        if kind in "fd":
            return _struct.unpack(kind, _struct.pack(kind, value))[0]
        if kind not in "bBhHiIlLqQ":
            return value
        if not isinstance(value, int):
            raise TypeError(f"an integer is required (got type {type(value).__name__})")
        bits = 8 * _struct.calcsize(kind)
        value &= (1 << bits) - 1
        return value - (1 << bits) if kind.islower() and value >> bits - 1 else value

    def __repr__(self):
        return f"{type(self).__name__}({self.value!r})"

    def __bool__(self):
        return bool(self.value)


for _names, _kind in (("c_byte c_int8", "b"), ("c_ubyte c_uint8", "B"), ("c_short c_int16", "h"),
                      ("c_ushort c_uint16", "H"), ("c_int c_int32", "i"), ("c_uint c_uint32", "I"),
                      ("c_long c_ssize_t", "l"), ("c_ulong c_size_t", "L"), ("c_longlong c_int64", "q"),
                      ("c_ulonglong c_uint64", "Q"), ("c_float", "f"), ("c_double", "d"), ("c_longdouble", "g"),
                      ("c_bool", "?"), ("c_char", "c"), ("c_wchar", "u")):
    _names = _names.split()
    globals().update(dict.fromkeys(_names, _Meta(_names[0], (_SimpleCData,), {"_type_": _kind})))
for _name, _kind in ("c_void_p", "P"), ("c_char_p", "z"), ("c_wchar_p", "Z"), ("py_object", "O"):
    globals()[_name] = _Meta(_name, (_SimpleCData,), {
        "_type_": _kind, "__init__": lambda self, value=None: setattr(self, "value", value)})
c_voidp = c_void_p

DEFAULT_MODE = RTLD_LOCAL = 0
RTLD_GLOBAL = 256


def sizeof(kind):
    kind = kind if isinstance(kind, type) else type(kind)
    if issubclass(kind, Array):
        return kind._length_ * sizeof(kind._type_)
    if issubclass(kind, _SimpleCData):
        return _struct.calcsize({"g": "2d", "u": "i", "O": "P", "z": "P", "Z": "P"}.get(kind._type_, kind._type_))
    raise TypeError("this type has no size here")


def alignment(kind):
    return sizeof(kind)


_kinds = {}


def POINTER(kind):
    if kind is None:
        return c_void_p
    if kind not in _kinds:
        _kinds[kind] = _Meta("LP_" + getattr(kind, "__name__", str(kind)), (_Pointer,), {"_type_": kind})
    return _kinds[kind]


def CFUNCTYPE(result, *arguments, **flags):
    return _Meta("CFunctionType", (_CFuncPtr,), {"_restype_": result, "_argtypes_": arguments})


PYFUNCTYPE = CFUNCTYPE


def get_errno(): return 0
def set_errno(number): return 0


class CDLL:
    _name, _handle = "<uninitialized>", 0
    __init__ = _refuse


class PyDLL(CDLL): pass


class LibraryLoader:
    def __init__(self, kind):
        self._dlltype = kind

    LoadLibrary = __getitem__ = _refuse

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        _refuse()


cdll, pydll = LibraryLoader(CDLL), LibraryLoader(PyDLL)
pythonapi = LibraryLoader(PyDLL)
byref = addressof = pointer = cast = resize = string_at = wstring_at = memmove = memset = _refuse
create_string_buffer = create_unicode_buffer = _refuse
