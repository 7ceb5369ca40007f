"""Runs the tests, one process a folder, so that memory is given back between.

    python tests/run.py [pytest arguments]

TensorFlow frees little of what it takes; the whole suite in one process would
outgrow the machine. Two folders run at a time: most of a test's time is spent
on one core. Prints each folder's output when it is through, its time and peak
memory, and ends with the sums of all folders.
"""

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
AT_ONCE = 2
# The folders that take longest come first, so that none of them is last alone.
LONGEST = ("training", "layers", "models", "cli", "export", "serving")
GOOD_EXITS = (0, 5)  # 5: the selection (`-m slow`, say) left nothing to run
# Linux counts the peak in KiB, macOS in bytes.
MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024


def selections():
    """Yields names and pytest arguments: each folder, then the docstrings."""
    tests = ROOT / "tests"
    folders = {path.name for path in tests.iterdir() if any(path.glob("**/test_*.py"))}
    for name in [*LONGEST, *sorted(folders - set(LONGEST))]:
        yield f"tests/{name}", [str(tests / name)]
    yield "tests", sorted(str(path) for path in tests.glob("test_*.py"))
    yield "docstrings", ["--doctest-modules", str(ROOT / "keras_slu")]


def run(name, arguments):
    """Runs pytest and shows its output; gives its counts and a line of them."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report, output = Path(folder) / "report.xml", Path(folder) / "output"
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}"]
        with open(output, "wb") as stream:
            process = subprocess.Popen(
                command + arguments, cwd=ROOT, stdout=stream, stderr=subprocess.STDOUT
            )
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        counts = read_counts(report)
        shown = output.read_text(encoding="utf-8", errors="replace")
    print(f"\n== {name}\n{shown}", end="", flush=True)
    if process.returncode not in GOOD_EXITS and not counts["failed"]:
        counts["failed"] = 1  # killed, or it could not start
    line = (
        f"{name:20} {counts['passed']:5} passed {counts['failed']:3} failed "
        f"{time.monotonic() - start:5.0f} s "
        f"{usage.ru_maxrss * MEMORY_UNIT / 2**30:5.1f} GiB"
    )
    return counts, line


def read_counts(report):
    """Reads how many tests passed, failed and were skipped from JUnit XML."""
    counts = Counter()
    if report.exists():
        for suite in ElementTree.parse(report).iter("testsuite"):
            failed = int(suite.get("failures")) + int(suite.get("errors"))
            skipped = int(suite.get("skipped"))
            counts["failed"] += failed
            counts["skipped"] += skipped
            counts["passed"] += int(suite.get("tests")) - failed - skipped
    return counts


def main():
    with ThreadPoolExecutor(AT_ONCE) as pool:
        started = [
            pool.submit(run, name, arguments + sys.argv[1:])
            for name, arguments in selections()
        ]
        results = [one.result() for one in started]
    total = sum((counts for counts, _ in results), Counter())
    print("", *(line for _, line in results), "", sep="\n")
    print(
        f"{total['passed']} passed, {total['failed']} failed, "
        f"{total['skipped']} skipped"
    )
    sys.exit(1 if total["failed"] else 0)


if __name__ == "__main__":
    main()
