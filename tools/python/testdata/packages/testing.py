# Debian: python3-pytest python3-pluggy python3-iniconfig python3-packaging python3-attr; modules: _stdlib
import os
import pathlib
import re
import tempfile

import pytest

TESTS = '''
import logging, os, sys, warnings
import pytest

def test_right(): assert sorted([2, 1]) == [1, 2]
def test_wrong(): assert {'a': 1, 'b': [1, 2, 3]} == {'a': 1, 'b': [1, 2, 4]}
@pytest.mark.parametrize('n, square', [(1, 1), (2, 4), (3, 10)])
def test_each(n, square): assert n * n == square
@pytest.fixture
def number():
    yield 5
    print('torn down')
def test_fixture(number): assert number == 6, 'not six'
def test_path(tmp_path):
    (tmp_path / 'x').write_text('text')
    assert [p.name for p in tmp_path.iterdir()] == ['x']
def test_capsys(capsys):
    print('out'); print('err', file=sys.stderr)
    assert capsys.readouterr() == ('out\\n', 'err\\n')
def test_capfd(capfd):
    os.write(1, b'raw'); print('out')
    assert capfd.readouterr().out == 'rawout\\n'
def test_monkeypatch(monkeypatch):
    monkeypatch.setenv('SOME', 'value'); monkeypatch.setattr(os, 'getcwd', lambda: 'here')
    assert os.environ['SOME'] == 'value' and os.getcwd() == 'here'
def test_log(caplog):
    logging.getLogger('x').warning('careful'); assert caplog.messages == ['careful']
def test_warning():
    with pytest.warns(UserWarning, match='old'): warnings.warn('it is old')
    with pytest.raises(ZeroDivisionError): 1 / 0
def test_printing(): print('printed'); raise ValueError('after printing')
@pytest.mark.skip(reason='later')
def test_skipped(): pass
@pytest.mark.xfail
def test_expected(): assert 0.1 + 0.2 == 0.3
def test_approximately(): assert 0.1 + 0.2 == pytest.approx(0.3)
'''
UNITTESTS = '''
import unittest
class Sums(unittest.TestCase):
    def setUp(self): self.n = 2
    def test_right(self): self.assertEqual(self.n + 2, 4)
    def test_wrong(self): self.assertIn(self.n, [3])
'''
DOCTESTS = '''
def add(a, b):
    """Adds.

    >>> add(1, 2)
    3
    >>> add(1, 1)
    3
    """
    return a + b
'''


class Results:
    def pytest_runtest_logreport(self, report):
        if report.when == 'call' or report.outcome != 'passed':
            print(report.nodeid, report.when, report.outcome)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name, text in ('test_all.py', TESTS), ('test_unit.py', UNITTESTS), ('sums.py', DOCTESTS):
        pathlib.Path(name).write_text(text)
    for arguments in ['-q'], ['-q', 'test_unit.py'], ['--doctest-modules', '-q', 'sums.py'], ['-k', 'each', '-v'], \
            ['-x', '-q', '--tb=short'], \
            ['-s', '-q', 'test_all.py::test_printing'], ['--collect-only', '-q'], ['missing.py']:
        with open('output', 'w') as output:
            kept = os.dup(1)
            os.dup2(output.fileno(), 1)
            try:
                status = pytest.main(['--no-header', '--color=no', '-p', 'no:cacheprovider', *arguments], [Results()])
            finally:
                os.dup2(kept, 1)
                os.close(kept)
        print(arguments, int(status))
        print(re.sub(r' in \d+\.\d+s|=+', '', pathlib.Path('output').read_text().replace(folder, '')))
    os.chdir('/')
