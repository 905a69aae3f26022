# Debian: python3-pypdf python3-typing-extensions
import io

from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

writer = PdfWriter()
for number in range(3):
    page = writer.add_blank_page(width=200, height=100 + number)
    stream = DecodedStreamObject()
    stream.set_data(f'BT /F1 12 Tf 10 50 Td (Page number {number + 1}) Tj ET'.encode())
    font = DictionaryObject({NameObject('/Type'): NameObject('/Font'), NameObject('/Subtype'): NameObject('/Type1'),
                             NameObject('/BaseFont'): NameObject('/Helvetica')})
    page[NameObject('/Resources')] = DictionaryObject({NameObject('/Font'): DictionaryObject({NameObject('/F1'): font})})
    page[NameObject('/Contents')] = writer._add_object(stream)
writer.add_metadata({'/Title': 'A test'})
writer.add_outline_item('second', 1)
with open('out.pdf', 'wb') as f:
    writer.write(f)
reader = PdfReader('out.pdf')
print(len(reader.pages), reader.metadata.title, [page.mediabox.height for page in reader.pages])
print([page.extract_text() for page in reader.pages], reader.outline[0].title)
merged = PdfWriter()
for page in reversed(reader.pages):
    merged.add_page(page.rotate(90))
data = io.BytesIO()
merged.write(data)
print([page.extract_text() for page in PdfReader(data).pages], PdfReader(data).pages[0].rotation)
