/* Floating-point errors of NumPy's functions. WebAssembly has no flags for them, so they are read off the results: where the arguments are
 * finite and the result is not, something was divided by zero, too large or not a number. Part of legacy_array_method.c. */
#include <fenv.h>
#include <string.h>

enum { SOFT_NAN = 1, SOFT_INF = 2 };

/* soft_real gives the kind of one real number. */
static inline int
soft_real(const char *at, int type)
{
    switch (type) {
        case NPY_HALF: {
            npy_uint16 v;
            memcpy(&v, at, 2);
            return (v & 0x7c00) != 0x7c00 ? 0 : v & 0x3ff ? SOFT_NAN : SOFT_INF;
        }
        case NPY_FLOAT: {
            npy_uint32 v;
            memcpy(&v, at, 4);
            return (v & 0x7f800000) != 0x7f800000 ? 0 : v & 0x7fffff ? SOFT_NAN : SOFT_INF;
        }
        case NPY_DOUBLE: {
            npy_uint64 v;
            memcpy(&v, at, 8);
            return (~v & 0x7ff0000000000000) ? 0 : v & 0xfffffffffffff ? SOFT_NAN : SOFT_INF;
        }
        default: {
            npy_uint64 v[2];
            memcpy(v, at, 16);
            return (~v[1] & 0x7fff000000000000) ? 0 : (v[1] & 0xffffffffffff) | v[0] ? SOFT_NAN : SOFT_INF;
        }
    }
}

/* soft_part gives the type of the parts of a number, or -1 if it is no floating-point number. */
static inline int
soft_part(int type)
{
    switch (type) {
        case NPY_HALF: case NPY_FLOAT: case NPY_DOUBLE: case NPY_LONGDOUBLE: return type;
        case NPY_CFLOAT: return NPY_FLOAT;
        case NPY_CDOUBLE: return NPY_DOUBLE;
        case NPY_CLONGDOUBLE: return NPY_LONGDOUBLE;
        default: return -1;
    }
}

/* soft_kind gives the kinds of a number's parts. */
static inline int
soft_kind(const char *at, int type)
{
    int part = soft_part(type);
    if (part < 0) {
        return 0;
    }
    int kind = soft_real(at, part);
    if (part != type) {
        kind |= soft_real(at + (part == NPY_FLOAT ? 4 : part == NPY_DOUBLE ? 8 : 16), part);
    }
    return kind;
}

/* soft_any says whether one of some numbers is not finite. */
static int
soft_any(const char *at, npy_intp stride, npy_intp n, int type)
{
    if (type == NPY_CDOUBLE && stride == 16) {
        type = NPY_DOUBLE, stride = 8, n *= 2;
    }
    if (type == NPY_CFLOAT && stride == 8) {
        type = NPY_FLOAT, stride = 4, n *= 2;
    }
    int size = (int)n;
    if (type == NPY_DOUBLE && stride == 8) {
        const npy_uint64 *v = (const npy_uint64 *)at;
        npy_uint64 all = 0;
        for (int i = 0; i < size; i++) {
            all |= (v[i] & 0x7ff0000000000000) + 0x0010000000000000;
        }
        return all >> 63;
    }
    if (type == NPY_FLOAT && stride == 4) {
        const npy_uint32 *v = (const npy_uint32 *)at;
        npy_uint32 all = 0;
        for (int i = 0; i < size; i++) {
            all |= (v[i] & 0x7f800000) + 0x00800000;
        }
        return all >> 31;
    }
    for (int i = 0; i < size; i++, at += stride) {
        if (soft_kind(at, type)) {
            return 1;
        }
    }
    return 0;
}

/* soft_zero says whether a number is zero. */
static int
soft_zero(const char *at, int type)
{
    static const int sizes[] = {[NPY_BOOL] = 1, [NPY_BYTE] = 1, [NPY_UBYTE] = 1, [NPY_SHORT] = 2, [NPY_USHORT] = 2, [NPY_INT] = 4,
        [NPY_UINT] = 4, [NPY_LONG] = 4, [NPY_ULONG] = 4, [NPY_LONGLONG] = 8, [NPY_ULONGLONG] = 8, [NPY_FLOAT] = 4, [NPY_DOUBLE] = 8,
        [NPY_LONGDOUBLE] = 16, [NPY_CFLOAT] = 8, [NPY_CDOUBLE] = 16, [NPY_CLONGDOUBLE] = 32};
    int size = type == NPY_HALF ? 2 : type <= NPY_CLONGDOUBLE ? sizes[type] : 0;
    int part = soft_part(type);
    int width = part == NPY_HALF ? 2 : part == NPY_FLOAT ? 4 : part == NPY_DOUBLE ? 8 : part == NPY_LONGDOUBLE ? 16 : size;
    for (int i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)at[i];
        if (part >= 0 && i % width == width - 1) {
            byte &= 0x7f;  /* the sign */
        }
        if (byte) {
            return 0;
        }
    }
    return size > 0;
}

/* soft_functions are those of NumPy that report errors. With a pole, an infinite result of finite arguments comes from dividing by zero:
 * always (1), or if the first (2) or the second argument (3) is zero. */
static const struct { const char *name; int pole; } soft_functions[] = {
    {"add", 0}, {"subtract", 0}, {"multiply", 0}, {"divide", 3}, {"true_divide", 3}, {"floor_divide", 3}, {"remainder", 3}, {"fmod", 3},
    {"divmod", 3}, {"power", 2}, {"float_power", 2}, {"square", 0}, {"sqrt", 0}, {"reciprocal", 2}, {"exp", 0}, {"exp2", 0}, {"expm1", 0},
    {"log", 1}, {"log2", 1}, {"log10", 1}, {"log1p", 1}, {"sin", 0}, {"cos", 0}, {"tan", 0}, {"sinh", 0}, {"cosh", 0}, {"tanh", 0},
    {"arcsin", 0}, {"arccos", 0}, {"arcsinh", 0}, {"arccosh", 0}, {"arctanh", 1}, {"logaddexp", 0}, {"logaddexp2", 0}, {"hypot", 0},
    {"ldexp", 0}, {"nextafter", 0}, {"spacing", 0}, {"cbrt", 0}, {"absolute", 0}, {"deg2rad", 0}, {"rad2deg", 0}, {"degrees", 0},
    {"radians", 0},
};

static int
soft_pole(const char *name)
{
    for (size_t i = 0; i < sizeof soft_functions / sizeof *soft_functions; i++) {
        if (strcmp(name, soft_functions[i].name) == 0) {
            return soft_functions[i].pole;
        }
    }
    return -1;
}

/* soft_one gives the errors of one call: nin arguments, then one result. before is what an argument that the result replaces may have been. */
static int
soft_one(int pole, int nin, const int *types, char *const *at, int outtype, const char *out, int before)
{
    int kind = soft_kind(out, outtype), in = before;
    if (!kind) {
        return 0;
    }
    for (int i = 0; i < nin; i++) {
        in |= at[i] == out ? 0 : soft_kind(at[i], types[i]);
    }
    if (kind & SOFT_NAN) {
        return in & SOFT_NAN ? 0 : FE_INVALID;
    }
    if (in) {
        return 0;
    }
    int zero = pole == 1 || (pole == 2 && soft_zero(at[0], types[0])) || (pole == 3 && soft_zero(at[1], types[1]));
    return zero ? FE_DIVBYZERO : FE_OVERFLOW;
}

/* npy_soft_fpe gives the errors of an operation with scalars, as NPY_FPE_*. */
NPY_NO_EXPORT int
npy_soft_fpe(const char *name, int type, char *a, char *b, char *out)
{
    int types[] = {type, type};
    char *at[] = {a, b};
    int status = soft_one(soft_pole(name), 2, types, at, type, out, 0);
    return (status & FE_INVALID ? NPY_FPE_INVALID : 0) | (status & FE_DIVBYZERO ? NPY_FPE_DIVIDEBYZERO : 0)
            | (status & FE_OVERFLOW ? NPY_FPE_OVERFLOW : 0);
}

/* soft_loop calls a loop and raises its errors. */
static void
soft_loop(PyArrayMethod_Context *context, PyUFuncGenericFunction loop, char *const *data, const npy_intp *dimensions,
        const npy_intp *strides, void *user_data)
{
    static const char prefix[] = "legacy_ufunc_wrapper_for_";
    int nin = context->method->nin, nout = context->method->nout, before[2] = {0, 0}, types[8];
    npy_intp n = dimensions[0];
    int checked = 0;
    if (nin + nout <= 8 && nin && nout <= 2) {
        for (int i = 0; i < nin + nout; i++) {
            types[i] = context->descriptors[i]->type_num;
        }
        for (int o = 0; o < nout; o++) {
            if (soft_part(types[nin + o]) < 0) {
                continue;
            }
            checked |= 1 << o;
            for (int i = 0; i < nin; i++) {
                if (data[i] != data[nin + o] || soft_part(types[i]) < 0) {
                    continue;
                }
                npy_intp count = strides[i] == 0 ? (n > 0) : n;
                if (soft_any(data[i], strides[i], count, types[i])) {
                    for (npy_intp k = 0; k < count; k++) {
                        before[o] |= soft_kind(data[i] + k * strides[i], types[i]);
                    }
                }
            }
        }
    }
    loop((char **)data, dimensions, strides, user_data);
    for (int o = 0; o < nout && checked; o++) {
        const char *out = data[nin + o];
        npy_intp stride = strides[nin + o];
        if (!(checked & 1 << o) || !soft_any(out, stride, stride ? n : n > 0, types[nin + o])) {
            continue;
        }
        const char *name = context->method->name;
        if (name == NULL || strncmp(name, prefix, sizeof prefix - 1) != 0) {
            return;
        }
        int pole = soft_pole(name + sizeof prefix - 1), status = 0;
        if (pole < 0) {
            return;
        }
        for (npy_intp k = 0; k < n; k++) {
            char *at[8];
            for (int i = 0; i < nin; i++) {
                at[i] = data[i] + k * strides[i];
                if (stride == 0 && data[i] != data[nin + o]) {
                    before[o] |= soft_kind(at[i], types[i]);  /* a reduction */
                }
            }
            if (stride != 0) {
                status |= soft_one(pole, nin, types, at, types[nin + o], out + k * stride, before[o]);
            }
            else if (k == n - 1) {
                status |= soft_one(pole, nin, types, at, types[nin + o], out, before[o]);
            }
        }
        feraiseexcept(status);
    }
}
