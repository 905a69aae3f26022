print('compile')
try:
    compile('def f(:\n  pass', 'x.py', 'exec')
except SyntaxError as error:
    print(error, error.lineno, error.offset, error.text)
for text in ('1 +', 'x = = 2', "'abc", 'f(a b)', 'if x\n  y', 'return 1', 'print "x"', '  x', '(1, 2',
             'a = 1\n\tb = 2'):
    try:
        compile(text, 'x.py', 'exec')
        print('fine', text)
    except SyntaxError as error:
        print(type(error).__name__, error)
eval('1 + + ')
