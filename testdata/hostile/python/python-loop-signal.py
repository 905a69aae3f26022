# Handles signals, and interrupts itself for ever.
# ends: time limit
import signal
while True:
    try:
        for number in range(1, 65):
            signal.signal(number, lambda *args: None)
        signal.raise_signal(signal.SIGINT)
    except BaseException:
        pass
