#!/usr/bin/env python3
"""Compares docs/requirements.md with the tests that ran, and prints how many rows work.

    scripts/requirements.py RESULTS.xml ...        xUnit files of `swift test --xunit-output`
    scripts/requirements.py --write RESULTS.xml    puts the tests' names into the table

A test names the rows that it shows at the beginning of its name: `NM-2.5, NM-5.6: muted means silent`. It is a
mistake, and ends with 1, if

- a test names a row that the table does not have,
- a row that works, wholly or partly, is named by no test that ran and passed,
- a row that is not here is named by one,
- a test that names a row failed,
- the names in the table are not those of the tests.

A row whose tests were all skipped, since this machine lacks what they need, is told and is no mistake.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as tree

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "requirements.md"
ID = r"(?:NM|CTX|YOMO|MOM|TODO)-[A-Z]*\d+(?:\.\d+)*[a-z]?"
STATES = ["works", "partly", "not here"]
DOCUMENTS = [("NM", "Near Me"), ("CTX", "Context"), ("YOMO", "Yomo"), ("MOM", "Your Mom"), ("TODO", "Morning list")]


class Row:
    def __init__(self, line, number):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 6:
            sys.exit(f"{TABLE.name}:{number}: {len(cells)} cells, not 6")
        self.id, self.asks, self.kind, self.state, self.tests, self.why = cells
        self.number = number
        if self.state not in STATES:
            sys.exit(f"{TABLE.name}:{number}: \"{self.state}\" is none of {', '.join(STATES)}")

    def line(self):
        return f"| {self.id} | {self.asks} | {self.kind} | {self.state} | {self.tests} | {self.why} |"


def results(paths):
    """For each row the tests that name it: {id: {test: passed | failed | skipped}}."""
    found, ran = {}, 0
    for path in paths:
        for case in tree.parse(path).getroot().iter("testcase"):
            ran += 1
            name = re.sub(r"\(.*\)$", "", case.get("name", "")).strip("`")
            head, colon, rest = name.partition(": ")
            ids = re.findall(ID, head)
            if not colon or not ids:
                continue
            outcome = "passed"
            if case.find("failure") is not None or case.find("error") is not None:
                outcome = "failed"
            elif case.find("skipped") is not None:
                outcome = "skipped"
            label = f"{case.get('classname', '').split('.')[-1]}: {rest}"
            for row in ids:
                found.setdefault(row, {})[label] = outcome
    return found, ran


def main(arguments):
    writes = "--write" in arguments
    paths = [a for a in arguments if a != "--write"]
    paths = [p for a in paths for p in (a, a.replace(".xml", "-swift-testing.xml")) if pathlib.Path(p).exists()]
    if not paths:
        sys.exit("requirements: there are no results: run `make requirements`")
    found, ran = results(paths)
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    rows = {}
    for number, line in enumerate(lines):
        if re.match(rf"\| {ID} \|", line):
            row = Row(line, number + 1)
            if row.id in rows:
                sys.exit(f"{TABLE.name}:{row.number}: {row.id} is there twice")
            rows[row.id] = row
    problems, skipped = [], []
    for name in sorted(set(found) - set(rows)):
        problems.append(f"{name} is in the name of a test and not in the table: {next(iter(found[name]))}")
    for row in rows.values():
        tests = found.get(row.id, {})
        failed = [t for t, outcome in tests.items() if outcome == "failed"]
        problems += [f"{row.id}: the test failed: {t}" for t in failed]
        if row.state == "not here":
            problems += [f"{row.id} is \"not here\" and has a test: {t}" for t in tests]
        elif not tests:
            problems.append(f"{row.id} is said to be \"{row.state}\", and no test names it")
        elif all(outcome == "skipped" for outcome in tests.values()):
            skipped.append(row.id)
        written = " · ".join(sorted(tests)).replace("|", "/") or "–"
        if writes:
            row.tests = written
            lines[row.number - 1] = row.line()
        elif row.tests != written and row.state != "not here":
            problems.append(f"{row.id}: the table names other tests: put them in with --write")
    if writes:
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")

    named = {t for tests in found.values() for t in tests}
    print(f"{ran} tests ran, {len(named)} of them name {len(found)} rows")
    print(f"{'':14}{'rows':>6}{'works':>8}{'partly':>8}{'not here':>10}")
    for prefix, title in DOCUMENTS + [("", "all")]:
        of = [r for r in rows.values() if prefix in ("", r.id.split("-")[0])]
        counts = [sum(r.state == s for r in of) for s in STATES]
        print(f"{title:14}{len(of):6}{counts[0]:8}{counts[1]:8}{counts[2]:10}")
    if skipped:
        print(f"skipped here: {', '.join(skipped)}")
    for problem in problems:
        print(f"requirements: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
