# Debian: python3-chardet
import chardet

texts = {'utf-8': 'Żółć gęślą jaźń, naïve café',
         'latin-1': "Ceci est un très long texte en français, où l'été déçoit à Noël",
         'windows-1251': 'Это довольно длинный текст на русском языке, чтобы угадать кодировку',
         'shift_jis': 'これは日本語の文章です。文字コードを判定します。', 'utf-16': 'wide', 'euc-kr': '이것은 한국어로 쓴 문장입니다', 'ascii': 'plain'}
for encoding, text in texts.items():
    found = chardet.detect(text.encode(encoding))
    print(encoding, found['encoding'], round(found['confidence'], 3), found['language'])
