"""What is known to pass natively and not in the sandbox: NAME.txt, and whether it is right.

Each line is for a group of tests: a regular expression for the test, how it ended, and why; a tab; and the reason.
"""

import pathlib
import re


class Known:
    def __init__(self, name):
        text = pathlib.Path(__file__).with_name(f"{name}.txt").read_text()
        self.lines = [line.split("\t")[0] for line in text.splitlines() if not line.startswith("#")]
        self.passed = self.same = 0
        self.used = set()
        self.wrong = []

    def compare(self, test, same, how, why):
        """Notes a test that passes natively: whether it does the same in the sandbox, or how it ends there, and why."""
        self.passed += 1
        if same:
            self.same += 1
            return
        text = f"{test}: {how}: {why}"
        rows = {row for row, line in enumerate(self.lines) if re.search(line, text)}
        self.used |= rows
        if not rows:
            self.wrong.append(text)

    def share(self):
        """Returns how many tests pass, as a text."""
        return (f"{self.passed} pass here, {self.same} of them in the sandbox: "
                f"{100 * self.same / max(self.passed, 1):.2f} %")

    def status(self, whole):
        """Prints what is wrong, and returns the status to exit with. If whole, a line for no test is wrong, too."""
        if whole:
            self.wrong += [f"listed, and passes: {line}" for row, line in enumerate(self.lines) if row not in self.used]
        print(*self.wrong, sep="\n")
        return 1 if self.wrong or not self.passed else 0
