"""Edits NumPy's sources: numpy.py ROOT. Each edit must find what it replaces as often as it says.

Sizes and the default integer have 64 bits, as on a 64-bit machine, so that no index and no sum is silently wrong. With
long of 32 bits this is the model of Windows. What assumes that npy_intp is Py_ssize_t is edited, and the compiler finds
it: pointers to the one are none to the other. Floating-point errors are found by fpe.h.
"""

import pathlib
import shutil
import sys

from edits import editor

root = pathlib.Path(sys.argv[1])
M = "numpy/_core/src/multiarray/"
edit = editor(root)

shutil.copy(pathlib.Path(__file__).with_name("fpe.h"), root / "numpy/_core/src/umath/fpe.h")
edit("numpy/_core/include/numpy/npy_common.h",
     ("typedef Py_ssize_t npy_intp;\ntypedef size_t npy_uintp;",
      "typedef long long npy_intp;\ntypedef unsigned long long npy_uintp;"),
     ("#define NPY_SIZEOF_HASH_T NPY_SIZEOF_INTP", "#define NPY_SIZEOF_HASH_T 4"))
edit("numpy/_core/include/numpy/npy_cpu.h",
     ("#elif defined(__EMSCRIPTEN__)", "#elif defined(__EMSCRIPTEN__) || defined(__wasm__)"))
edit("numpy/_core/meson.build",
     ("['NPY_SIZEOF_INTP', 'size_t']", "['NPY_SIZEOF_INTP', 'long long']"),
     ("['NPY_SIZEOF_UINTP', 'size_t']", "['NPY_SIZEOF_UINTP', 'long long']"))
edit("numpy/_core/src/multiarray/nditer_impl.h",
     ("NPY_SIZEOF_PY_INTPTR_T", "NPY_SIZEOF_INTP", "all"),
     ("Py_intptr_t", "npy_intp", "all"))
edit("numpy/_core/src/multiarray/nditer_pywrap.c",
     ('PyArg_ParseTuple(value, "nn", &istart', 'PyArg_ParseTuple(value, "LL", &istart'))
for f in ("numpy/__init__.pxd", "numpy/__init__.cython-30.pxd"):
  edit(f,
       ("ctypedef signed long npy_intp\n    ctypedef unsigned long npy_uintp",
        "ctypedef signed long long npy_intp\n    ctypedef unsigned long long npy_uintp"))
edit("meson.build", ("}.get(cc_id, '-ftrapping-math')", "}.get(cc_id, '-fno-trapping-math')"))
edit("numpy/_core/src/umath/legacy_array_method.c",
     ("/*\n * This is a thin wrapper around the legacy loop signature.\n */",
      '#include "fpe.h"\n\n/*\n * This is a thin wrapper around the legacy loop signature.\n */'),
     ("generic_wrapped_legacy_loop(PyArrayMethod_Context *NPY_UNUSED(context),",
      "generic_wrapped_legacy_loop(PyArrayMethod_Context *context,"),
     ("    ldata->loop((char **)data, dimensions, strides, ldata->user_data);",
      "    soft_loop(context, ldata->loop, data, dimensions, strides, ldata->user_data);"))
edit("numpy/_core/src/umath/legacy_array_method.h",
     ("NPY_NO_EXPORT int\nget_wrapped_legacy_ufunc_loop(",
      "NPY_NO_EXPORT int\nnpy_soft_fpe(const char *name, int type, char *a, char *b, char *out);\n\nNPY_NO_EXPORT "
      "int\nget_wrapped_legacy_ufunc_loop("))
edit("numpy/_core/src/umath/scalarmath.c.src",
     ("    retstatus |= npy_get_floatstatus_barrier((char*)&out);\n#endif\n    if (retstatus) {\n        if "
      '(PyUFunc_GiveFloatingpointErrors("scalar " OP_NAME',
      "    retstatus |= npy_get_floatstatus_barrier((char*)&out);\n    retstatus |= npy_soft_fpe(OP_NAME, "
      "NPY_@NAME@, (char *)&arg1, (char *)&arg2, (char *)&out);\n#endif\n    if (retstatus) {\n        if "
      '(PyUFunc_GiveFloatingpointErrors("scalar " OP_NAME'),
     ("    int retstatus = npy_get_floatstatus_barrier((char*)&out);\n    if (retstatus) {\n        if "
      '(PyUFunc_GiveFloatingpointErrors("scalar divide"',
      '    int retstatus = npy_get_floatstatus_barrier((char*)&out);\n    retstatus |= npy_soft_fpe("divide", '
      "NPY_DOUBLE, (char *)&arg1, (char *)&arg2, (char *)&out);\n    if (retstatus) {\n        if "
      '(PyUFunc_GiveFloatingpointErrors("scalar divide"'),
     ("    retstatus |= npy_get_floatstatus_barrier((char*)&out);\n#endif\n    if (retstatus) {\n        if "
      '(PyUFunc_GiveFloatingpointErrors("scalar power"',
      '    retstatus |= npy_get_floatstatus_barrier((char*)&out);\n    retstatus |= npy_soft_fpe("power", '
      "NPY_@NAME@, (char *)&arg1, (char *)&arg2, (char *)&out);\n#endif\n    if (retstatus) {\n        if "
      '(PyUFunc_GiveFloatingpointErrors("scalar power"'))
edit("numpy/_core/src/umath/scalarmath.c.src",
     ('#include "array_coercion.h"\n', '#include "array_coercion.h"\n#include "legacy_array_method.h"\n'))
edit("numpy/_core/src/multiarray/arraytypes.c.src",
     ("#if NPY_SIZEOF_PY_INTPTR_T == NPY_SIZEOF_INTP\n    LETTER_TO_NUM('p')",
      "#if NPY_SIZEOF_INTP == 8\n    LETTER_TO_NUM('p')"))
edit(M + "buffer.c",
     ("info->shape = (npy_intp *)((char *)info + sizeof(_buffer_info_t));\n            assert((size_t)info->shape % "
      "sizeof(npy_intp) == 0);",
      "info->shape = (Py_ssize_t *)((char *)info + sizeof(_buffer_info_t));"))
edit(M + "alloc.h",
     ("PyDataMem_UserNEW(npy_uintp sz", "PyDataMem_UserNEW(size_t sz"),
     ("PyDataMem_UserFREE(void * p, npy_uintp sd", "PyDataMem_UserFREE(void * p, size_t sd"))
edit(M + "array_method.c",
     ("    Py_ssize_t length = -1;", "    npy_intp length = -1;"),
     ("        Py_ssize_t subloopsize;", "        npy_intp subloopsize;"))
edit("numpy/_core/src/common/templ_common.h.src",
     ("npy_mul_sizes_with_overflow (npy_intp * r, npy_intp a, npy_intp b)\n{\n#ifdef HAVE___BUILTIN_MUL_OVERFLOW\n   "
      " return __builtin_mul_overflow(a, b, r);",
      "npy_mul_sizes_with_overflow (npy_intp * r, npy_intp a, npy_intp b)\n{\n#ifdef HAVE___BUILTIN_MUL_OVERFLOW\n   "
      " return __builtin_mul_overflow(a, b, r) || *r > PY_SSIZE_T_MAX;"))
edit(M + "common.h",
     ("#define NPY_ITER_REDUCTION_AXIS(axis) (axis + (1 << (NPY_BITSOF_INT - 2)))\n",
      "#define NPY_ITER_REDUCTION_AXIS(axis) (axis + (1 << (NPY_BITSOF_INT - 2)))\n/* As PySlice_GetIndicesEx, where "
      "npy_intp is wider than Py_ssize_t. No array is longer than a Py_ssize_t says. */\nstatic inline int\nnpy_slice"
      "_indices(PyObject *slice, npy_intp length, npy_intp *start, npy_intp *stop, npy_intp *step, npy_intp *steps)\n"
      "{\n    Py_ssize_t a, b, c, n;\n    if (PySlice_GetIndicesEx(slice, (Py_ssize_t)length, &a, &b, &c, &n) < 0) "
      "{\n        return -1;\n    }\n    *start = a, *stop = b, *step = c, *steps = n;\n    return 0;\n}\n"))
edit(M + "iterators.c", ("PySlice_GetIndicesEx(op, max", "npy_slice_indices(op, max"))
edit(M + "mapping.c", ("PySlice_GetIndicesEx(indices[i].object", "npy_slice_indices(indices[i].object"))
edit("numpy/_core/src/common/templ_common.h.src",
     ("static inline int\nnpy_mul_with_overflow_size_t(",
      "/* As PySlice_AdjustIndices, where npy_intp is wider than Py_ssize_t. */\nstatic inline npy_intp\nnpy_adjust_i"
      "ndices(size_t length, npy_intp *start, npy_intp *stop, npy_intp step)\n{\n    npy_intp *all[] = {start, stop, "
      "&step};\n    Py_ssize_t v[3];\n    for (int i = 0; i < 3; i++) {\n        v[i] = *all[i] > PY_SSIZE_T_MAX ? "
      "PY_SSIZE_T_MAX : *all[i] < -PY_SSIZE_T_MAX ? -PY_SSIZE_T_MAX : (Py_ssize_t)*all[i];\n    }\n    npy_intp n = "
      "PySlice_AdjustIndices((Py_ssize_t)length, &v[0], &v[1], v[2]);\n    *start = v[0], *stop = v[1];\n    return "
      "n;\n}\nstatic inline int\nnpy_mul_with_overflow_size_t("))
edit("numpy/_core/src/umath/string_ufuncs.cpp",
     ("PySlice_AdjustIndices(num_codepoints", "npy_adjust_indices(num_codepoints"))
edit("numpy/_core/src/umath/stringdtype_ufuncs.cpp",
     ("PySlice_AdjustIndices(num_codepoints", "npy_adjust_indices(num_codepoints"))
# The compiler does not see what converters of arguments write to.
edit(M + "textreading/readtext.c",
     ("    Py_ssize_t skiplines = 0;\n    Py_ssize_t max_rows = -1;",
      "    npy_intp skiplines = 0;\n    npy_intp max_rows = -1;"),
     ("    /* Reject matching control characters, they just rarely",
      "    /* No stream is longer than a Py_ssize_t says. */\n    if (skiplines > PY_SSIZE_T_MAX) {\n        "
      "skiplines = PY_SSIZE_T_MAX;\n    }\n    if (max_rows > PY_SSIZE_T_MAX) {\n        "
      "max_rows = PY_SSIZE_T_MAX;\n    }\n"
      "    /* Reject matching control characters, they just rarely"))
edit(M + "scalartypes.c.src", ('"%" NPY_INTP_FMT "w", length)', '"%" NPY_INTP_FMT "w", (npy_intp)length)'))
# What np.random gives, and takes the same numbers for as on a 64-bit machine: there, long has 64 bits.
R = "numpy/random/"
edit("numpy/_core/include/numpy/random/distributions.h",
     ("#define RAND_INT_TYPE long\n#define RAND_INT_MAX LONG_MAX",
      "#define RAND_INT_TYPE int64_t\n#define RAND_INT_MAX INT64_MAX"))
edit(R + "src/legacy/legacy-distributions.c",
     ("    const long i = random_poisson", "    const int64_t i = random_poisson"),
     ("static long legacy_geometric_inversion", "static int64_t legacy_geometric_inversion"),
     ("  return (long)ceil(", "  return (int64_t)ceil("),
     ("  long result;", "  int64_t result;"),
     ("      result = (long)floor(", "      result = (int64_t)floor("))
edit(R + "_common.pyx",
     ("    cdef long LONG_MAX ", '    cdef long long LONG_MAX "LLONG_MAX" '),
     ("np.iinfo('l')", "np.iinfo(np.int64)", 2))
edit(R + "mtrand.pyx",
     ("bitgen_state, long n, long *mnix,", "bitgen_state, int64_t n, int64_t *mnix,"),
     ("        return <long>x64\n    return x.astype('l',", "        return x64\n    return x.astype(np.int64,"),
     ('else np.dtype("long")', "else np.dtype(np.int64)"),
     ("size=size, dtype='l')", "size=size, dtype=np.int64)"),
     ("np.long", "np.int64", "all"),
     ("        cdef long *", "        cdef int64_t *", 2),
     ("<long*>", "<int64_t*>", 2),
     ("<long *>", "<int64_t *>"),
     ("<long>legacy_random_binomial", "<int64_t>legacy_random_binomial"),
     ("        cdef long ni\n", "        cdef int64_t ni\n"),
     ("def multinomial(self, long n,", "def multinomial(self, int64_t n,"))
# Products of matrices, without a BLAS: two rows and eight columns at a time, which stay in registers of 128 bits. Each
# sum is added up in the order of NumPy's own loop, so that it is the same.
edit("numpy/_core/src/umath/matmul.c.src",
     ("    char *ip1 = (char *)_ip1, *ip2 = (char *)_ip2, *op = (char *)_op;\n\n    ib1_n = is1_n * dn;\n    ib2_n = "
      "is2_n * dn;\n    ib2_p = is2_p * dp;\n    ob_p  = os_p * dp;\n\n    for (m = 0; m < dm; m++) {\n        for "
      "(p = 0; p < dp; p++) {\n#if @IS_COMPLEX@ == 1",
      """    char *ip1 = (char *)_ip1, *ip2 = (char *)_ip2, *op = (char *)_op;

#if @IS_COMPLEX@ == 0 && !@IS_HALF@
    enum { WIDTH = 8 };
    @typ@ *panel = dm < 4 || dp < 4 || dn < 4 ? NULL : malloc((size_t)dn * WIDTH * sizeof(@typ@));
    if (panel != NULL) {
        for (p = 0; p < dp; p += WIDTH) {
            npy_intp j, width = dp - p < WIDTH ? dp - p : WIDTH;
            for (n = 0; n < dn; n++) {
                for (j = 0; j < WIDTH; j++) {
                    panel[n * WIDTH + j] = j < width ? *(@typ@ *)(ip2 + n * is2_n + (p + j) * is2_p) : 0;
                }
            }
            for (m = 0; m < dm; m += 2) {
                /* The last row of an odd number is done twice. */
                const char *row0 = ip1 + m * is1_m, *row1 = m + 1 < dm ? row0 + is1_m : row0;
                @typ@ sums0[WIDTH] = {0}, sums1[WIDTH] = {0};
                for (n = 0; n < dn; n++) {
                    const @typ@ a0 = *(const @typ@ *)(row0 + n * is1_n), a1 = *(const @typ@ *)(row1 + n * is1_n);
                    for (int k = 0; k < WIDTH; k++) {
                        sums0[k] += a0 * panel[n * WIDTH + k];
                        sums1[k] += a1 * panel[n * WIDTH + k];
                    }
                }
                for (j = 0; j < width; j++) {
                    *(@typ@ *)(op + m * os_m + (p + j) * os_p) = sums0[j];
                    if (m + 1 < dm) {
                        *(@typ@ *)(op + (m + 1) * os_m + (p + j) * os_p) = sums1[j];
                    }
                }
            }
        }
        free(panel);
        return;
    }
#endif

    ib1_n = is1_n * dn;
    ib2_n = is2_n * dn;
    ib2_p = is2_p * dp;
    ob_p  = os_p * dp;

    for (m = 0; m < dm; m++) {
        for (p = 0; p < dp; p++) {
#if @IS_COMPLEX@ == 1"""))
edit(M + "multiarraymodule.c",
     ("    l = PyArray_DIMS(ap1)[PyArray_NDIM(ap1) - 1];\n    if (PyArray_NDIM(ap2) > 1) {\n        matchDim = "
      "PyArray_NDIM(ap2) - 2;",
      """    /* np.dot of matrices is their product, as by the operator. */
    if (out == NULL && PyArray_NDIM(ap1) == 2 && PyArray_NDIM(ap2) == 2 && PyArray_CheckExact(ap1) &&
            PyArray_CheckExact(ap2) && PyArray_DIMS(ap1)[1] == PyArray_DIMS(ap2)[0] && PyTypeNum_ISNUMBER(typenum)) {
        PyObject *product = PyObject_CallFunctionObjArgs(n_ops.matmul, ap1, ap2, NULL);
        Py_DECREF(ap1);
        Py_DECREF(ap2);
        return product;
    }
    l = PyArray_DIMS(ap1)[PyArray_NDIM(ap1) - 1];
    if (PyArray_NDIM(ap2) > 1) {
        matchDim = PyArray_NDIM(ap2) - 2;"""))
# Arguments of messages whose formats say how wide they are.
edit("numpy/_core/src/umath/loops.c.src",
     ("                         i, type->tp_name, meth);", "                         (int)i, type->tp_name, meth);"))
edit(M + "common.c",
     ('is too large to store inside array.", itemsize);',
      'is too large to store inside array.", (Py_ssize_t)itemsize);',
      2))
edit(M + "convert_datatype.c",
     ('is too large to store inside array.", size);', 'is too large to store inside array.", (Py_ssize_t)size);'))
edit(M + "ctors.c",
     ("view->itemsize, view->format, descr->type,\n                    descr->elsize);",
      "view->itemsize, view->format, descr->type,\n                    (int)descr->elsize);"))
edit(M + "descriptor.c",
     ("                        offset, newdescr->alignment);",
      "                        offset, (int)newdescr->alignment);"),
     ("                    new->elsize, itemsize);", "                    (int)new->elsize, (int)itemsize);"),
     ("                    new->alignment, itemsize);", "                    (int)new->alignment, (int)itemsize);"))
edit(M + "item_selection.c",
     ('(%zd,) (%zd,)", n, PyArray_DIM(repeats, 0));',
      '(%zd,) (%zd,)", (Py_ssize_t)n, (Py_ssize_t)PyArray_DIM(repeats, 0));'),
     ("                         kth[i], shape[axis]);",
      "                         (Py_ssize_t)kth[i], (Py_ssize_t)shape[axis]);"),
     ('"item %zd type does not have compare function", i);',
      '"item %zd type does not have compare function", (Py_ssize_t)i);'))
edit(M + "multiarraymodule.c",
     ("idim, 0, shape[idim], iarrays, arr_shape[idim]);",
      "idim, 0, (int)shape[idim], iarrays, (int)arr_shape[idim]);"))
edit(M + "shape.c",
     ("                PyArray_SIZE(arr), tmp);", "                (Py_ssize_t)PyArray_SIZE(arr), tmp);"))
edit(M + "textreading/rows.c",
     ("row_count + skiplines + 1, max_rows) < 0)",
      "(Py_ssize_t)(row_count + skiplines + 1), (Py_ssize_t)max_rows) < 0)"))
edit("numpy/_core/src/umath/ufunc_object.c",
     ("                            ufunc->core_signature, op_dim_size,\n                            "
      "core_dim_sizes[core_dim_index]);",
      "                            ufunc->core_signature, (Py_ssize_t)op_dim_size,\n                            "
      "(Py_ssize_t)core_dim_sizes[core_dim_index]);"))
edit("numpy/_core/src/umath/string_ufuncs.cpp",
     ('is too large to store inside array.",\n                    length);',
      'is too large to store inside array.",\n                    (Py_ssize_t)length);'))
edit("numpy/linalg/umath_linalg.cpp",
     ("                     m, n, required_p, p);",
      "                     (Py_ssize_t)m, (Py_ssize_t)n, (Py_ssize_t)required_p, (Py_ssize_t)p);"))
# Functions without the parameters with which Python calls them: WebAssembly checks them in calls through pointers.
edit(M + "convert_datatype.c",
     ("_get_castingimpl(PyObject *NPY_UNUSED(module), PyObject *args)",
      "_get_castingimpl(PyObject *NPY_UNUSED(module), PyObject *args, PyObject *NPY_UNUSED(kwargs))"))
edit(M + "convert_datatype.h",
     ("_get_castingimpl(PyObject *NPY_UNUSED(module), PyObject *args)",
      "_get_castingimpl(PyObject *NPY_UNUSED(module), PyObject *args, PyObject *NPY_UNUSED(kwargs))"))
edit(M + "array_converter.c",
     ("array_converter_get_scalar_input(PyArrayArrayConverterObject *self)",
      "array_converter_get_scalar_input(PyArrayArrayConverterObject *self, void *NPY_UNUSED(closure))"))
edit(M + "array_method.c",
     ("boundarraymethod__supports_unaligned(PyBoundArrayMethodObject *self)",
      "boundarraymethod__supports_unaligned(PyBoundArrayMethodObject *self, void *NPY_UNUSED(closure))"))
edit("numpy/_core/src/umath/_scaled_float_dtype.c",
     ("sfloat___reduce__(PyArray_SFloatDescr *self)",
      "sfloat___reduce__(PyArray_SFloatDescr *self, PyObject *NPY_UNUSED(unused))"))
# The names of "from numpy import *" are those of what there is.
edit("numpy/__init__.py", ('"f2py", "test"', '"test"'),
     ('        elif attr == "f2py":\n            import numpy.f2py as f2py\n            return f2py\n', ""))
