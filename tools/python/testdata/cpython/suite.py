# Runs a module of CPython's tests, and prints a line for each test: sys.argv is the module's name and, after it, the
# tests that are left out.

import importlib
import json
import sys
import types
import unittest

# The tests of sqlite3 want no more of this module than some numbers.
numbers = types.ModuleType('_testcapi')
numbers.INT_MAX, numbers.UINT_MAX = 2 ** 31 - 1, 2 ** 32 - 1
numbers.LLONG_MIN, numbers.LLONG_MAX, numbers.ULLONG_MAX = -2 ** 63, 2 ** 63 - 1, 2 ** 64 - 1

MARK = '@suite '
out = sys.stdout


def say(outcome, test, why=''):
    out.write('\n' + MARK + json.dumps([outcome, test, why[:500]]) + '\n')


class Result(unittest.TestResult):
    def startTest(self, test):
        super().startTest(test)
        self.failed = False
        say('start', test.id())

    def fail(self, test, error):
        if not self.failed:  # a test may have several parts
            say('fail', test.id(), f'{error[0].__name__}: {error[1]}')
        self.failed = True

    def addSuccess(self, test):
        if not self.failed:
            say('pass', test.id())

    def addFailure(self, test, error):
        self.fail(test, error)

    def addError(self, test, error):
        self.fail(test, error)

    def addSubTest(self, test, part, error):
        if error is not None:
            self.fail(test, error)

    def addSkip(self, test, reason):
        say('skip', test.id(), reason)

    def addExpectedFailure(self, test, error):
        say('pass', test.id())

    def addUnexpectedSuccess(self, test):
        say('fail', test.id(), 'unexpected success')


def kept(suite):
    """Returns a suite without the tests that are left out. It is run as a whole, for modules and classes have
    fixtures."""
    out = unittest.TestSuite()
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            out.addTest(kept(test))
        elif test.id() in skipped:
            say('slow', test.id())
        else:
            out.addTest(test)
    return out


name, *skipped = sys.argv[1:]
if name == 'test_sqlite3':
    sys.modules['_testcapi'] = numbers
result = Result()
module = importlib.import_module('test.' + name)
if hasattr(module, 'test_main'):  # which gets some of the tests ready before it runs them
    def run_unittest(*classes):
        load = unittest.defaultTestLoader.loadTestsFromTestCase
        kept(load(test) if isinstance(test, type) else test for test in classes).run(result)

    module.run_unittest = sys.modules['test.support'].run_unittest = run_unittest
    module.test_main()
else:
    kept([unittest.defaultTestLoader.loadTestsFromName('test.' + name)]).run(result)
say('end', name)
