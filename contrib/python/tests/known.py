"""What is known to pass natively and not in the sandbox: NAME.txt, and whether it is right.

Each line is for a group of tests: a regular expression for the test, how it ended, and why; a tab; and the reason.
"""

import pathlib
import re


class Known:
    def __init__(self, name):
        text = pathlib.Path(__file__).with_name(f"{name}.txt").read_text()
        self.lines = [line.split("\t")[0] for line in text.splitlines() if not line.startswith("#")]
        self.used = set()
        self.wrong = []

    def failed(self, test, how, why):
        """Notes a test that passes natively and not in the sandbox."""
        text = f"{test}: {how}: {why}"
        rows = {row for row, line in enumerate(self.lines) if re.search(line, text)}
        self.used |= rows
        if not rows:
            self.wrong.append(text)

    def status(self, whole):
        """Prints what is wrong, and returns the status to exit with. If whole, a line for no test is wrong, too."""
        if whole:
            self.wrong += [f"listed, and passes: {line}" for row, line in enumerate(self.lines) if row not in self.used]
        print(*self.wrong, sep="\n")
        return 1 if self.wrong else 0
