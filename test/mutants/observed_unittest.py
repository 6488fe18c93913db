"""Does for tests in Python what observed_main.cpp does: observed_unittest.py PAGE SCRIPT [CASE…]"""

import mmap
import os
import pathlib
import sys
import time
import unittest


class Observer(unittest.TextTestResult):
    good = True

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()
        self.write("begins", test, "-")

    def stopTest(self, test):
        super().stopTest(test)
        good = not (self.failures or self.errors)
        self.good = self.good and good
        reached = [number for number, mark in enumerate(PAGE.cast("I")) if number and mark]
        PAGE[4:] = bytes(len(PAGE) - 4)
        self.write("passed" if good else "failed", test, "".join(f"{each}," for each in reached) + "-")
        if not good and any(PAGE[:4]):
            self.stop()
        # The next one is judged by itself.
        self.failures, self.errors = [], []

    def wasSuccessful(self):
        return self.good

    def write(self, what, test, reached):
        with open(os.environ["MUTANTS_LOG"], "a", encoding="utf-8") as log:
            log.write(f"{what} {int(1e6 * (time.monotonic() - self.begun))} {reached} {test.id().split('.', 1)[1]}\n")


if __name__ == "__main__":
    with open(sys.argv[1], "r+b") as file:
        PAGE = memoryview(mmap.mmap(file.fileno(), 0))
    script = pathlib.Path(sys.argv[2])
    sys.path.insert(0, str(script.parent))
    unittest.main(module=script.stem, argv=[script.name, *sys.argv[3:]], testRunner=unittest.TextTestRunner(resultclass=Observer))
