/* The main program of a CPython that needs no files: its standard library is an archive in its data, which the module
 * _archive shows to stdlib.py. What is imported before that module can run is frozen; archive.h has both. */
#include <Python.h>

#include "archive.h"
#include "modules.h" /* the extension modules of the packages that are built in */

static PyObject *archive_data(PyObject *self, PyObject *unused) {
  return PyMemoryView_FromMemory((char *)archive, archive_size, PyBUF_READ);
}

static PyMethodDef archive_methods[] = {
    {"data", archive_data, METH_NOARGS, "The standard library, as a zip file."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef archive_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_archive",
    .m_size = -1,
    .m_methods = archive_methods,
};

static PyObject *init_archive(void) { return PyModule_Create(&archive_module); }

/* check ends the program if something has failed. */
static void check(PyStatus status) {
  if (PyStatus_Exception(status)) {
    Py_ExitStatusException(status);
  }
}

/* import imports a module for its effect. */
static int import(const char *name) {
  PyObject *module = PyImport_ImportModule(name);
  if (module == NULL) {
    PyErr_Print();
    return -1;
  }
  Py_DECREF(module);
  return 0;
}

int main(int argc, char **argv) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  PyImport_FrozenModules = frozen;
  if (PyImport_AppendInittab("_archive", init_archive) < 0 || PyImport_ExtendInittab(modules) < 0) {
    return 1;
  }
  config.module_search_paths_set = 1;
  check(PyWideStringList_Append(&config.module_search_paths, L"" ARCHIVE_PATH));
  check(PyConfig_SetString(&config, &config.home, L"/usr/local"));
  check(PyConfig_SetBytesArgv(&config, argc, argv));
  check(PyConfig_Read(&config));
  int site = config.site_import; /* which cannot be imported yet */
  config.site_import = 0;
  check(Py_InitializeFromConfig(&config));
  PyConfig_Clear(&config);
  if (import("_stdlib") < 0 || (site && import("site") < 0)) {
    return 1;
  }
  return Py_RunMain();
}
