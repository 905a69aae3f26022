import doctest
import io
import logging
import unittest


def double(x):
    """Doubles.

    >>> double(2)
    4
    >>> double('a')
    'aaa'
    """
    return x * 2


class Tests(unittest.TestCase):
    def test_good(self): self.assertEqual(double(3), 6)
    def test_bad(self): self.assertEqual(double([1]), [1, 2])
    def test_raises(self):
        with self.assertRaisesRegex(TypeError, 'unsupported'):
            double(None)
    @unittest.skip('later')
    def test_later(self): pass


out = io.StringIO()
result = unittest.TextTestRunner(out, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(Tests))
print(result.wasSuccessful(), out.getvalue().splitlines()[0], [str(t) for t, _ in result.failures],
      result.failures[0][1].splitlines()[-1])
finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False)
for test in finder.find(double, 'double', globs={'double': double}):
    print(runner.run(test, out=lambda s: None))
log = logging.getLogger('x')
handler = logging.StreamHandler(buffer := io.StringIO())
handler.setFormatter(logging.Formatter('%(levelname)s %(name)s %(message)s'))
log.addHandler(handler)
log.warning('n=%d', 3)
log.debug('no')
try:
    1 / 0
except ZeroDivisionError:
    log.exception('failed')
print(buffer.getvalue().splitlines()[0], buffer.getvalue().splitlines()[-1])
