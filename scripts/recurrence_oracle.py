"""Random recurrence rules, and what other programs make of them.

Run by scripts/check-recurrence.sh, which says what is compared. Rules come from a seed, so that a
difference can be looked at again.
"""

import argparse
import ast
import datetime as dt
import itertools
import json
import random
import signal
import subprocess
import sys
import time
import warnings
from zoneinfo import ZoneInfo

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
    """The parts of a rule, as a dict of lists; those that RFC 5545 does not allow together are rarer."""
    frequency = frequency or draw.choice(FREQUENCIES)
    level = FREQUENCIES.index(frequency)
    parts = {}
    chance = lambda share: draw.random() < share
    if chance(0.25):
        parts["BYMONTH"] = some(draw, 1, 12, 6)
    if chance(0.2 if frequency == "YEARLY" else 0.05):
        parts["BYWEEKNO"] = signed(draw, 53, 4)
    if chance(0.05 if frequency in ("DAILY", "WEEKLY", "MONTHLY") else 0.12):
        parts["BYYEARDAY"] = signed(draw, 366, 30)
    if chance(0.1 if frequency == "WEEKLY" else 0.25):
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
    """Whether work came to its end within a time of this process."""

    def stop(*_):
        raise TooSlow

    signal.signal(signal.SIGVTALRM, stop)
    # A program that starts this one may have blocked it, which children inherit.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGVTALRM})
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        work()
        return True
    except TooSlow:
        return False
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def settled(parts, start):
    """The rule and the start for dateutil, where our rules say what it leaves open or has otherwise."""
    parts = dict(parts)
    chooses = {"BYDAY", "BYMONTHDAY", "BYYEARDAY"} & parts.keys()
    if "BYWEEKNO" in parts and not chooses and parts["FREQ"][0] in ("YEARLY", "MONTHLY", "WEEKLY"):
        # A week alone is the start's weekday, not all seven.
        parts["BYDAY"] = [DAYS[start.weekday()]]
    begin = start
    if parts["FREQ"] == ["WEEKLY"] and "BYSETPOS" in parts:
        # Positions count the whole first week; dateutil counts from the start's day.
        if not chooses:
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

    found = (local for local in rule if local >= start)
    if count:
        found = itertools.islice(found, count[0])
    if after:
        found = (local for local in found if local > after)
    times = []

    def walk():
        for local in itertools.islice(found, limit):
            times.append(local.isoformat())

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


# Zones

UTC = dt.timezone.utc
ZONES = """Australia/Lord_Howe America/Santiago Africa/Cairo Pacific/Apia Antarctica/Troll
Africa/Casablanca Pacific/Chatham Europe/Dublin Pacific/Kiritimati America/New_York Europe/London
America/St_Johns Asia/Tehran Asia/Kathmandu America/Sao_Paulo Asia/Beirut America/Havana Asia/Gaza
Africa/El_Aaiun America/Asuncion Asia/Amman Pacific/Norfolk Europe/Istanbul Asia/Pyongyang
America/Caracas Atlantic/Azores Pacific/Tongatapu America/Nuuk Asia/Kolkata Europe/Moscow""".split()


def changes(zone, first=1972, last=2036):
    """The instants at which the offset changes, to the minute."""
    found = []
    step = 6 * 3600
    at = int(dt.datetime(first, 1, 1, tzinfo=UTC).timestamp())
    end = int(dt.datetime(last, 1, 1, tzinfo=UTC).timestamp())
    offset = lambda second: dt.datetime.fromtimestamp(second, zone).utcoffset()
    while at < end:
        if offset(at) != offset(at + step):
            low, high = at, at + step
            while high - low > 1:
                middle = (low + high) // 2
                if offset(middle) == offset(low):
                    low = middle
                else:
                    high = middle
            found.append(high)
        at += step
    return found


def is_gap(local, zone):
    there = local.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None)
    return there != local


def is_fold(local, zone):
    return (local.replace(tzinfo=zone).utcoffset() != local.replace(tzinfo=zone, fold=1).utcoffset()
            and not is_gap(local, zone))


def second_of(local, zone):
    """A gap's offset is that before it, a fold's the first."""
    return int(local.replace(tzinfo=zone).timestamp())


def shown(second, zone):
    return dt.datetime.fromtimestamp(second, zone).isoformat()


def model_calendar(parts, start, zone, gap, horizon, seconds):
    """The seconds of a daily or slower rule until a horizon, by the words of the specification."""
    parts = dict(parts)
    until = parts.pop("UNTIL", None)
    parts.pop("COUNT", None)
    parts, begin = settled(parts, start)
    rule = rrule.rrulestr(text(parts), dtstart=begin)
    found = set()
    last = dt.datetime.fromtimestamp(horizon, zone).replace(tzinfo=None) + dt.timedelta(days=2)
    times = []

    def walk():
        for local in rule:
            if local > last:
                break
            times.append(local)

    if not in_time(seconds, walk):
        return None
    for local in times:
        if local < start or not in_until_wall(local, until):
            continue
        if is_gap(local, zone) and gap == "skip":
            continue
        found.add(second_of(local, zone))
    return sorted(second for second in found if in_until_instant(second, until))


def in_until_wall(local, until):
    return not until or until[0].endswith("Z") or local <= dt.datetime.strptime(until[0], "%Y%m%dT%H%M%S")


def in_until_instant(second, until):
    if not until or not until[0].endswith("Z"):
        return True
    last = dt.datetime.strptime(until[0], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    return second <= last.timestamp()


def fits(local, parts):
    """Whether a wall time is what the BY parts of an hourly or shorter rule allow."""
    date = local.date()
    length = (date.replace(day=28) + dt.timedelta(days=4)).replace(day=1) - dt.timedelta(days=1)
    year = 366 if date.replace(month=12, day=31).timetuple().tm_yday == 366 else 365
    day = date.timetuple().tm_yday
    values = {
        "BYMONTH": [date.month],
        "BYMONTHDAY": [date.day, date.day - length.day - 1],
        "BYYEARDAY": [day, day - year - 1],
        "BYDAY": [DAYS[date.weekday()]],
        "BYHOUR": [local.hour],
        "BYMINUTE": [local.minute],
        "BYSECOND": [local.second],
    }
    return all(
        any(value in parts[name] for value in found) for name, found in values.items() if name in parts
    )


def model_elapsed(parts, start, zone, horizon):
    """The seconds of an hourly or shorter rule: periods in elapsed time, BY parts on the wall clock."""
    unit = {"HOURLY": 3600, "MINUTELY": 60, "SECONDLY": 1}[parts["FREQ"][0]]
    begin = second_of(start, zone)
    length = 1
    asked = dict(parts)
    if unit == 3600 and "BYMINUTE" in parts:
        asked.setdefault("BYSECOND", [start.second])
        origin, length = begin - start.minute * 60 - start.second, 3600
    elif unit >= 60 and "BYSECOND" in parts:
        origin, length = begin - start.second, 60
    else:
        origin = begin
    found = []
    period = origin
    while period <= horizon:
        members = [
            second
            for second in range(period, period + length)
            if (length == 1 or second % 60 in {value % 60 for value in asked["BYSECOND"]})
            and fits(dt.datetime.fromtimestamp(second, zone).replace(tzinfo=None), asked)
        ]
        if "BYSETPOS" in parts:
            picked = {p - 1 if p > 0 else len(members) + p for p in parts["BYSETPOS"]}
            members = [member for place, member in enumerate(members) if place in picked]
        found += [member for member in members if member >= begin]
        period += unit * parts["INTERVAL"][0]
    until = parts.get("UNTIL")
    return [
        second
        for second in found
        if in_until_wall(dt.datetime.fromtimestamp(second, zone).replace(tzinfo=None), until)
        and in_until_instant(second, until)
    ]


def zoned_case(draw, name, zone, instants):
    """A rule that begins before a change of the zone's clocks, and how far it is compared."""
    frequency = draw.choice(["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "DAILY", "HOURLY", "MINUTELY"])
    parts = random_parts(draw, frequency)
    change = draw.choice(instants) if instants else draw.randrange(1_000_000_000, 2_000_000_000)
    wall = dt.datetime.fromtimestamp(change - 1, zone).replace(tzinfo=None)
    near = wall + dt.timedelta(minutes=draw.randrange(-60, 180))
    if draw.random() < 0.5:
        # Times that the clocks jump over, or show twice.
        parts["BYHOUR"] = sorted({near.hour, (near.hour + draw.randrange(3)) % 24})
        if draw.random() < 0.5:
            parts["BYMINUTE"] = sorted({0, near.minute, draw.randrange(60)})
    is_elapsed = frequency in ("HOURLY", "MINUTELY")
    days = 2 if is_elapsed else {"DAILY": 20, "WEEKLY": 60}.get(frequency, 700)
    start = (near - dt.timedelta(days=draw.randrange(days))).replace(second=0)
    if draw.random() < 0.1:
        start = near.replace(second=0)
    if is_elapsed:
        parts.pop("BYMONTH", None)
        parts.pop("BYYEARDAY", None)
        parts.pop("BYWEEKNO", None)
        if not any(name.startswith("BY") and name != "BYSETPOS" for name in parts):
            parts.pop("BYSETPOS", None)
        if frequency == "MINUTELY":
            parts["INTERVAL"] = [draw.choice([7, 10, 15, 30, 45])]
    if draw.random() < 0.15:
        parts["COUNT"] = [draw.randint(1, 30)]
    elif draw.random() < 0.15:
        zulu = draw.choice(["", "Z"])
        parts["UNTIL"] = [(near + dt.timedelta(hours=draw.randrange(-3, 40))).strftime("%Y%m%dT%H%M%S") + zulu]
    return parts, start, change + days * 86400, draw.choice(["shift", "shift", "skip"])


def by_recurring_ical_events(parts, start, name, begin, end):
    import icalendar
    import recurring_ical_events

    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//check//", "BEGIN:VEVENT", "UID:1",
             "DTSTAMP:20260101T000000Z", f"DTSTART;TZID={name}:{start:%Y%m%dT%H%M%S}",
             "DURATION:PT0S", "RRULE:" + text(parts), "END:VEVENT", "END:VCALENDAR", ""]
    calendar = icalendar.Calendar.from_ical("\r\n".join(lines))
    events = recurring_ical_events.of(calendar).between(begin, end)
    return sorted({event["DTSTART"].dt.replace(tzinfo=None) for event in events})


def compare_zoned(program, seed, count, limit, peers):
    draw = random.Random(seed)
    cases = []
    for name in ZONES:
        zone = ZoneInfo(name)
        instants = changes(zone)
        for _ in range(count):
            parts, start, horizon, gap = zoned_case(draw, name, zone, instants)
            while weeks_differ(parts):
                parts, start, horizon, gap = zoned_case(draw, name, zone, instants)
            cases.append((name, parts, start, horizon, gap))
    answers = program.answers(
        {"id": number, "start": start.isoformat(), "zone": name, "rrule": text(parts), "gap": gap,
         "limit": limit}
        for number, (name, parts, start, horizon, gap) in enumerate(cases)
    )
    same = slow = times = inside = refused = bounded = peer_rules = peer_times = 0
    differences = []
    for (name, parts, start, horizon, gap), answer in zip(cases, answers, strict=True):
        zone = ZoneInfo(name)
        if parts["FREQ"][0] in ("HOURLY", "MINUTELY"):
            expected = model_elapsed(parts, start, zone, horizon)
        else:
            try:
                expected = model_calendar(parts, start, zone, gap, horizon, 0.3)
            except ValueError:
                expected = []
        if expected is None:
            slow += 1
            continue
        if "occurrences" not in answer:
            if expected == [] and "no date from" in answer["error"]:
                refused += 1
            elif expected == [] and "would take more than" in answer["error"]:
                # Nothing comes of it as far as the model looks, and the search says that it has given up.
                bounded += 1
            else:
                differences.append((name, text(parts), start.isoformat(), gap, expected[:5], answer))
            continue
        known = parts.get("COUNT", [10**9])[0]
        expected = [shown(second, zone) for second in expected if second <= horizon]
        expected = expected[:known][:limit]
        found = [time for time in answer["occurrences"]
                 if dt.datetime.fromisoformat(time).timestamp() <= horizon]
        if found != expected:
            differences.append((name, text(parts), start.isoformat(), gap,
                                [time for time in expected if time not in found][:4],
                                [time for time in found if time not in expected][:4]))
            continue
        same += 1
        times += len(found)
        inside += sum(is_fold(local, zone) for local in map(wall_of, found))
        if peers and len(found) < limit and gap == "shift" and parts["FREQ"][0] in FREQUENCIES[:4] and not {"COUNT", "UNTIL"} & parts.keys():
            error, checked = compare_peer(parts, start, name, horizon, found)
            peer_rules += 1
            peer_times += checked
            if error:
                differences.append(("recurring-ical-events", name, text(parts), start.isoformat(), error))
    print(f"zoned, seed {seed}: {len(cases)} rules in {len(ZONES)} zones beside the specification's words: "
          f"{same} agree on {times} occurrences ({inside} in folds), {refused} never fire, "
          f"{bounded} were given up with a sentence, {slow} too slow for dateutil, {len(differences)} differ")
    if peers:
        print(f"  of these, outside gaps and folds, beside recurring-ical-events: {peer_rules} rules, "
              f"{peer_times} occurrences")
    return differences


def wall_of(text):
    return dt.datetime.fromisoformat(text).replace(tzinfo=None)


def compare_peer(parts, start, name, horizon, found):
    zone = ZoneInfo(name)
    parts, begin = settled(parts, start)
    if begin != start:
        return None, 0
    end = dt.datetime.fromtimestamp(horizon, zone)
    theirs = by_recurring_ical_events(parts, start, name, start.replace(tzinfo=zone), end)
    # It has the start as an occurrence whatever the rule says.
    is_plain = lambda local: (local != start and not is_gap(local, zone) and not is_fold(local, zone)
                              and local < end.replace(tzinfo=None) - dt.timedelta(days=2))
    # What comes out of a gap is ours alone.
    gapped = lambda local: any(is_gap(local - dt.timedelta(minutes=m), zone) for m in (15, 20, 30, 40, 45, 60, 120, 1440))
    theirs = {local for local in theirs if is_plain(local) and not gapped(local)}
    ours = {local for local in map(wall_of, found) if is_plain(local) and not gapped(local)}
    if theirs == ours:
        return None, len(ours)
    return (sorted(map(str, theirs - ours))[:4], sorted(map(str, ours - theirs))[:4]), len(ours)


# The rules of dateutil's own tests


def own_rules(path):
    """Start and text of every rule that the tests make, without those that iCalendar does not have."""
    names = {**vars(rrule), "datetime": dt.datetime, "date": dt.date}
    found = []
    for node in ast.walk(ast.parse(open(path).read())):
        if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "rrule":
            continue
        try:
            made = eval(compile(ast.Expression(node), path, "eval"), names)
            start, rule = str(made).split("\n")[:2]
        except Exception:
            continue
        start = start.removeprefix("DTSTART:")
        if rule.startswith("RRULE:") and len(start) == 15 and "BYEASTER" not in rule:
            found.append((start, rule))
    return sorted(set(found))


def compare_own_rules(program, path, bench, work):
    rules = own_rules(path)
    answers = program.answers(
        {"id": number, "start": start, "rrule": rule, "limit": 100}
        for number, (start, rule) in enumerate(rules)
    )
    same = []
    refused = 0
    differences = []
    for (start, rule), answer in zip(rules, answers, strict=True):
        begin = dt.datetime.strptime(start, "%Y%m%dT%H%M%S")
        parts = {name: values.split(",")
                 for name, values in (part.split("=") for part in rule[6:].split(";"))}
        if "occurrences" not in answer:
            # Parts that RFC 5545 does not allow together, and COUNT=0.
            refused += 1
            continue
        parts = {name: [int(v) if name in ("COUNT", "INTERVAL") else v for v in values]
                 for name, values in parts.items()}
        expected, is_whole = by_dateutil(parts, begin, None, 100, 5)
        if answer["occurrences"] == expected:
            same.append((start, rule))
        else:
            differences.append((start, rule, expected[:4], answer["occurrences"][:4]))
    print(f"dateutil's own rules: {len(rules)}: {len(same)} agree, {refused} are none of RFC 5545, "
          f"{len(differences)} differ")
    if bench:
        ratio(same, bench, work)
    return differences


def ratio(rules, bench, work):
    """Both programs read and follow the same rules in one run, in processor time."""
    with open(work, "w") as file:
        file.writelines(f"{start}\t{rule}\n" for start, rule in rules)
    seconds = []
    for _ in range(3):
        begin = time.process_time()
        for start, rule in rules:
            made = rrule.rrulestr(rule, dtstart=dt.datetime.strptime(start, "%Y%m%dT%H%M%S"))
            found = list(itertools.islice(made, 100))
        seconds.append(time.process_time() - begin)
    theirs = sorted(seconds)[1]
    output = subprocess.run([bench, "recurrence", work], capture_output=True, text=True, check=True).stdout
    print(output, end="")
    ours = float(output.split()[-1])
    print(f"{len(rules)} rules, read and followed: dateutil {theirs * 1e3:.1f} ms, "
          f"ours {ours * 1e3:.3f} ms of processor time: {theirs / ours:.0f} times")


def main():
    warnings.simplefilter("ignore")
    options = argparse.ArgumentParser()
    options.add_argument("--nearme", required=True)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--floating", type=int, default=10_000)
    options.add_argument("--zoned", type=int, default=1_000, help="rules in each zone")
    options.add_argument("--limit", type=int, default=20)
    options.add_argument("--own-rules", help="dateutil's tests/test_rrule.py")
    options.add_argument("--bench", help="nearme-bench, to compare the time on those")
    options.add_argument("--work", help="a file for those rules")
    options = options.parse_args()
    program = Program([options.nearme, "recur", "--stdin"])
    differences = []
    if options.own_rules:
        differences += compare_own_rules(program, options.own_rules, options.bench, options.work)
    differences += compare_floating(program, options.seed, options.floating, options.limit)
    if options.zoned:
        try:
            import recurring_ical_events  # noqa: F401

            peers = True
        except ImportError:
            print("recurring-ical-events is not installed: left out")
            peers = False
        differences += compare_zoned(program, options.seed, options.zoned, 2_000, peers)
    for difference in differences[:20]:
        print(*difference, sep="\n  ")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
