"""Random recurrence rules, and what other programs make of them.

Run by scripts/check-recurrence.sh, which says what is compared. Rules come from a seed, so that a
difference can be looked at again.
"""

import argparse
import datetime as dt
import itertools
import json
import random
import signal
import subprocess
import sys
import warnings

from dateutil import rrule

DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
FREQUENCIES = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"]


# Rules


def some(draw, low, high, most):
    """A few numbers, ascending."""
    count = draw.randint(1, most)
    return sorted(draw.sample(range(low, high + 1), min(count, high - low + 1)))


def signed(draw, high, most):
    numbers = {draw.choice([1, 1, -1]) * draw.randint(1, high) for _ in range(draw.randint(1, most))}
    return sorted(numbers)


def random_parts(draw, frequency=None):
    """The parts of a rule that RFC 5545 allows together, as a dict of lists."""
    frequency = frequency or draw.choice(FREQUENCIES)
    level = FREQUENCIES.index(frequency)
    parts = {}
    chance = lambda share: draw.random() < share
    if chance(0.25):
        parts["BYMONTH"] = some(draw, 1, 12, 6)
    if frequency == "YEARLY" and chance(0.2):
        parts["BYWEEKNO"] = signed(draw, 53, 4)
    if frequency in ("YEARLY", "HOURLY", "MINUTELY", "SECONDLY") and chance(0.12):
        parts["BYYEARDAY"] = signed(draw, 366, 30)
    if frequency != "WEEKLY" and chance(0.25):
        parts["BYMONTHDAY"] = signed(draw, 31, 8)
    if chance(0.35):
        days = draw.sample(DAYS, draw.randint(1, 4))
        if level < 2 and "BYWEEKNO" not in parts and chance(0.6):
            most = 5 if frequency == "MONTHLY" or "BYMONTH" in parts else 53
            days = [f"{draw.choice([1, -1]) * draw.randint(1, most)}{day}" for day in days]
        parts["BYDAY"] = days
    if chance(0.3):
        parts["BYHOUR"] = some(draw, 0, 23, 5)
    if chance(0.25):
        parts["BYMINUTE"] = some(draw, 0, 59, 4)
    if chance(0.2):
        parts["BYSECOND"] = some(draw, 0, 59, 3)
    if parts and chance(0.25):
        parts["BYSETPOS"] = signed(draw, draw.choice([2, 5, 31, 366]), 4)
    if chance(0.2):
        parts["WKST"] = [draw.choice(DAYS)]
    return {"FREQ": [frequency], "INTERVAL": [draw.choice([1, 1, 1, 2, 3, 4, 5, 7, 13, 30])], **parts}


def text(parts):
    return ";".join(f"{name}={','.join(map(str, values))}" for name, values in parts.items())


def random_start(draw, first=1970, last=2060):
    day = dt.date(first, 1, 1) + dt.timedelta(days=draw.randrange(365 * (last - first)))
    clock = draw.choice([dt.time(draw.randrange(24), draw.randrange(60), draw.randrange(60)),
                         dt.time(draw.randrange(24)), dt.time(draw.randrange(24), 30)])
    return dt.datetime.combine(day, clock)


# What dateutil makes of a rule


class TooSlow(Exception):
    pass


def in_time(seconds, work):
    """Whether work came to its end within a time."""

    def stop(*_):
        raise TooSlow

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        work()
        return True
    except TooSlow:
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def settled(parts, start):
    """The rule and the start for dateutil, where our rules say what it leaves open or has otherwise."""
    parts = dict(parts)
    chooses = {"BYDAY", "BYMONTHDAY", "BYYEARDAY"} & parts.keys()
    if "BYWEEKNO" in parts and not chooses:
        # A week alone is the start's weekday, not all seven.
        parts["BYDAY"] = [DAYS[start.weekday()]]
    begin = start
    if parts["FREQ"] == ["WEEKLY"] and "BYSETPOS" in parts:
        # Positions count the whole first week; dateutil counts from the start's day.
        parts.setdefault("BYDAY", [DAYS[start.weekday()]])
        first = DAYS.index(parts.get("WKST", ["MO"])[0])
        begin = start - dt.timedelta(days=(start.weekday() - first) % 7)
        if begin < start:
            for name, value in [("HOUR", start.hour), ("MINUTE", start.minute), ("SECOND", start.second)]:
                parts.setdefault("BY" + name, [value])
    return parts, begin


def by_dateutil(parts, start, after, limit, seconds):
    parts, begin = settled(parts, start)
    count = parts.pop("COUNT", None)
    rule = rrule.rrulestr(text(parts), dtstart=begin)

    found = (time for time in rule if time >= start)
    if count:
        found = itertools.islice(found, count[0])
    if after:
        found = (time for time in found if time > after)
    times = []

    def walk():
        for time in itertools.islice(found, limit):
            times.append(time.isoformat())

    return times, in_time(seconds, walk)


def weeks_differ(parts):
    """Whether dateutil counts weeks of the year before wrongly for this rule.

    It takes the last week of the year before from the length of the present one, and of negative
    numbers knows only -1 there; and knows week 1 of the next year only as 1.
    """
    weeks = parts.get("BYWEEKNO", [])
    return any(week in (52, 53) or week < -1 for week in weeks)


# The program under test


class Program:
    def __init__(self, command):
        self.command = command

    def answers(self, requests):
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        run = subprocess.run(self.command, input=lines, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{self.command[0]} ended with {run.returncode}: {run.stderr[:500]}")
        return [json.loads(line) for line in run.stdout.splitlines()]


def compare_floating(program, seed, count, limit):
    draw = random.Random(seed)
    cases = []
    while len(cases) < count:
        parts = random_parts(draw, FREQUENCIES[len(cases) % 7])
        start = random_start(draw)
        if weeks_differ(parts):
            continue
        if draw.random() < 0.3:
            parts["COUNT"] = [draw.randint(1, 40)]
        elif draw.random() < 0.2:
            until = start + dt.timedelta(days=draw.choice([1, 30, 700, 5000]))
            parts["UNTIL"] = [until.strftime("%Y%m%dT%H%M%S")]
        after = None
        if draw.random() < 0.3:
            after = start + dt.timedelta(days=draw.choice([0, 1, 100, 2000]), seconds=draw.randrange(86400))
        cases.append((parts, start, after))
    answers = program.answers(
        {"id": number, "start": start.isoformat(), "zone": None, "rrule": text(parts),
         "after": after and after.isoformat(), "limit": limit}
        for number, (parts, start, after) in enumerate(cases)
    )
    same = slow = refused = times = 0
    differences = []
    for (parts, start, after), answer in zip(cases, answers, strict=True):
        try:
            expected, is_whole = by_dateutil(parts, start, after, limit, 0.2)
        except ValueError as error:
            # It finds some rules that never fire before it begins.
            assert "Invalid rrule byxxx" in str(error), (text(parts), error)
            expected, is_whole = [], True
        found = answer.get("occurrences")
        if found is None and expected == [] and "no date from" in answer["error"]:
            refused += 1
        elif found is not None and (found if is_whole else found[: len(expected)]) == expected:
            same += is_whole
            slow += not is_whole
            times += len(expected)
        else:
            differences.append((text(parts), start.isoformat(), after and after.isoformat(), expected, answer))
    print(f"floating, seed {seed}: {count} rules beside dateutil: {same} agree on {times} occurrences, "
          f"{refused} never fire, {slow} agree as far as dateutil came in 0.2 s, {len(differences)} differ")
    return differences


def main():
    warnings.simplefilter("ignore")
    options = argparse.ArgumentParser()
    options.add_argument("--nearme", required=True)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--floating", type=int, default=10_000)
    options.add_argument("--limit", type=int, default=20)
    options = options.parse_args()
    program = Program([options.nearme, "recur", "--stdin"])
    differences = compare_floating(program, options.seed, options.floating, options.limit)
    for difference in differences[:20]:
        print(*difference, sep="\n  ")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
