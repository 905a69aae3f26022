import glob
import os
import pathlib
import shutil
import tempfile

root = pathlib.Path('work')
(root / 'a/b').mkdir(parents=True)
for n in range(3):
    (root / f'a/file{n}.txt').write_text(f'line {n}\n' * (n + 1), encoding='utf-8')
(root / 'a/b/data.bin').write_bytes(bytes(range(256)))
print(sorted(str(p) for p in root.rglob('*')), sorted(glob.glob('work/**/*.txt', recursive=True)))
with open(root / 'a/file1.txt', 'r+') as f:
    f.seek(0, os.SEEK_END)
    f.write('more')
    f.seek(2)
    print(f.tell(), repr(f.read()))
with open(root / 'a/b/data.bin', 'rb') as f:
    f.seek(-3, 2)
    print(f.read(), os.fstat(f.fileno()).st_size, f.seekable())
shutil.copytree(root / 'a', root / 'copy')
shutil.move(root / 'copy/file0.txt', root / 'moved.txt')
os.replace(root / 'copy/file1.txt', root / 'copy/file2.txt')
shutil.rmtree(root / 'copy/b')
print(sorted((d, sorted(ds), sorted(fs)) for d, ds, fs in os.walk('work')))
print(pathlib.PurePosixPath('/x/y.tar.gz').suffixes, root.joinpath('../z').exists(), os.path.normpath('a/../b//c'),
      pathlib.Path('q/r.txt').with_suffix('.md'))
for action in (lambda: open('none'), lambda: os.mkdir('work'), lambda: os.rmdir('work'), lambda: open('work'),
               lambda: os.listdir('work/moved.txt'), lambda: (root / 'a').unlink()):
    try:
        action()
    except OSError as error:
        print(type(error).__name__, error.strerror if not isinstance(error, PermissionError) else '', error.filename)
