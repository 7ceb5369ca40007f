"""Runs the tests, one process a folder, so that memory is given back between.

    python tests/run.py [pytest arguments]

TensorFlow frees little of what it takes; the whole suite in one process would
outgrow the machine. Prints each folder's time and peak memory, and ends with
the sums of all folders.
"""

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GOOD_EXITS = (0, 5)  # 5: the selection (`-m slow`, say) left nothing to run
# Linux counts the peak in KiB, macOS in bytes.
MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024


def selections():
    """Yields names and pytest arguments: each folder, then the docstrings."""
    tests = ROOT / "tests"
    yield "tests", sorted(str(path) for path in tests.glob("test_*.py"))
    for folder in sorted(path for path in tests.iterdir() if path.is_dir()):
        if any(folder.rglob("test_*.py")):
            yield f"tests/{folder.name}", [str(folder)]
    yield "docstrings", ["--doctest-modules", str(ROOT / "keras_slu")]


def run(arguments):
    """Runs pytest; gives its counts and its peak memory in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}"]
        process = subprocess.Popen(command + arguments, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        counts = read_counts(report)
    if process.returncode not in GOOD_EXITS and not counts["failed"]:
        counts["failed"] = 1  # killed, or it could not start
    return counts, usage.ru_maxrss * MEMORY_UNIT


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
    total, lines = Counter(), []
    for name, arguments in selections():
        print(f"\n== {name}", flush=True)
        start = time.monotonic()
        counts, peak = run(arguments + sys.argv[1:])
        total += counts
        lines.append(
            f"{name:20} {counts['passed']:5} passed {counts['failed']:3} failed "
            f"{time.monotonic() - start:5.0f} s {peak / 2**30:5.1f} GiB"
        )
    print("", *lines, "", sep="\n")
    print("{passed} passed, {failed} failed, {skipped} skipped".format_map(total))
    sys.exit(1 if total["failed"] else 0)


if __name__ == "__main__":
    main()
