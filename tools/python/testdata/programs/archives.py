import gzip
import hashlib
import io
import tarfile
import zipfile
import zlib

text = b'some text, ' * 500
with zipfile.ZipFile('a.zip', 'w', zipfile.ZIP_DEFLATED) as z:
    for name in ('one.txt', 'dir/two.txt'):
        info = zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6))
        info.compress_type = zipfile.ZIP_DEFLATED
        z.writestr(info, text[:100 if name[0] == 'o' else None])
with zipfile.ZipFile('a.zip') as z:
    print([(i.filename, i.file_size, i.date_time, i.CRC) for i in z.infolist()], z.testzip(), z.read('one.txt')[:9])
    z.extractall('out')
data = io.BytesIO()
with tarfile.open(fileobj=data, mode='w:gz') as t:
    t.add('out')
data.seek(0)
with tarfile.open(fileobj=data) as t:
    print(sorted(t.getnames()), t.extractfile('out/dir/two.txt').read() == text)
print(gzip.decompress(gzip.compress(text)) == text, zlib.crc32(text), zlib.adler32(text),
      len(zlib.decompress(zlib.compress(text, 9))))
print(hashlib.sha256(text).hexdigest(), hashlib.md5(b'').hexdigest(), hashlib.blake2b(text, digest_size=8).hexdigest(),
      hashlib.sha3_224(text).hexdigest())
import os, shutil
os.remove('a.zip')  # compressed bytes may differ
shutil.rmtree('out')
