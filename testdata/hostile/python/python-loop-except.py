# Catches everything that could end its loop.
# ends: time limit
while True:
    try:
        while True: pass
    except BaseException: pass
    finally: continue
