#!/usr/bin/env python3
"""Scores `nearme understand` on phrases as people write them, family by family, beside libraries from PyPI.

    scripts/sentence_peers.py NEARME [PHRASES.tsv ...]

The phrases are the lists of Tests/SentencesTests/HeldOut. dateparser, parsedatetime and recurrent are asked for the same
where they are installed; what is missing is said. A date is right if its local time is, down to its grain; ours must
name the grain as well. An interval is right if both ends are; a repetition if it comes at the same times for three
years. Every phrase that fails is named.
"""

import datetime as dt
import json
import pathlib
import subprocess
import sys

try:
    from dateutil import rrule as rules
except ImportError:
    sys.exit("sentence_peers: python-dateutil is missing: pip install python-dateutil")

HELD_OUT = pathlib.Path(__file__).resolve().parent.parent / "Tests/SentencesTests/HeldOut"
NOW = dt.datetime(2026, 2, 13, 10, 0)
END = NOW + dt.timedelta(days=3 * 366)
DIGITS = {"year": 4, "quarter": 7, "month": 7, "week": 10, "day": 10, "hour": 16, "minute": 16, "second": 19}


def ours(command, phrases):
    lines = "".join(
        json.dumps({"id": i, "text": text, "now": NOW.isoformat(), "zone": "America/New_York"}) + "\n"
        for i, (_, text, _) in enumerate(phrases)
    )
    done = subprocess.run([command, "understand", "--stdin"], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def expanded(start, rule):
    """The times of three years; a rule without an end stops there."""
    start = dt.datetime.fromisoformat(start)
    found = rules.rrulestr(rule, dtstart=start, ignoretz=True)
    return [when for when in found.between(min(start, NOW) - dt.timedelta(days=1), END, inc=True)][:40_000]


def times(answer):
    return [s for s in answer["spans"] if s["kind"] == "time"]


DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def window(words):
    """`mon-fri 17:00-24:00`, either part alone, as a condition of a reminders file."""
    days, hours = DAYS, ("00:00", "24:00")
    for word in words:
        first, _, last = word.partition("-")
        if first in DAYS:
            days = DAYS[DAYS.index(first): DAYS.index(last or first) + 1]
        else:
            hours = (first, last)
    full = {} if days == DAYS else {"days": days}
    return {"window": full | {"start": hours[0], "end": hours[1]}}


def holds(condition, words):
    if words[0] == "window":
        found = dict(condition.get("window", {}))
        if found.get("days") == DAYS:
            del found["days"]
        return {"window": found} == window(words[1:])
    return condition == {words[0]: {"place": words[1]}}


def is_right(family, answer, expected):
    if "error" in answer:
        return False
    if family == "text":
        return answer["start"] is None and answer["triggers"] == [] and not answer["spans"]
    if family == "date":
        value, grain = expected.split(" ")
        return any(s["value"] == value and s["grain"] == grain for s in times(answer))
    if family == "interval":
        value, until = (None if side == "-" else side for side in expected.split(" "))
        return any(s["value"] == value and s["until"] == until for s in times(answer))
    if family == "repeat":
        start, rule = expected.split(" ")
        if answer["start"] is None or answer["rrule"] is None:
            return False
        return expanded(answer["start"], answer["rrule"]) == expanded(start, rule)
    title, *parts = expected.split(" ; ")
    if answer["title"] != title:
        return False
    triggers = [json.dumps(t) for t in answer["triggers"]]
    for part in parts:
        words = part.split(" ")
        if words[0] == "place":
            found = {"place": " ".join(words[1:])} in answer["triggers"]
        elif words[0] == "near":
            near = {"category": words[1]} | ({"tiers": [f"approach:{words[2]}"]} if len(words) > 2 else {})
            found = near in answer["triggers"]
        elif words[0] == "if":
            found = any(holds(condition, words[1:]) for condition in answer["conditions"])
        elif words[0] == "nag":
            found = answer.get("nag", {}).get("every") == words[1]
        elif words[0] == "tone":
            found = answer.get("tone") == words[1]
        elif words[0] == "leave":
            found = {"leave": {"place": words[1]}} in answer["triggers"]
        elif words[0] == "on":
            name, _, level = words[1].partition("=")
            found = ({"signal": name, "to": level} if level else {"signal": name}) in answer["triggers"]
        elif words[0] == "priority":
            found = answer.get("priority") == int(words[1])
        else:
            start = words[0]
            rule = next((w for w in words[1:] if w.startswith("FREQ")), None)
            found = (answer["start"] or "").startswith(start)
            if rule:
                found = found and answer["rrule"] and expanded(start, answer["rrule"]) == expanded(start, rule)
                found = found and answer.get("anchor") == ("completion" if "anchor=completion" in words else "catch_up")
            else:
                found = found and answer["rrule"] is None
        if not found:
            return False
    conditions = sum(part.startswith("if ") for part in parts)
    others = sum(part.split(" ")[0] in ("priority", "nag", "tone") for part in parts)
    return len(answer["conditions"]) == conditions and len(triggers) == len(parts) - conditions - others


def peers():
    """By name: a function from a phrase to a date-time, a rule text, or None."""
    found = {}
    try:
        import dateparser

        settings = {"RELATIVE_BASE": NOW, "PREFER_DATES_FROM": "future"}
        found["dateparser"] = lambda text: dateparser.parse(text, languages=["en"], settings=settings)
    except ImportError:
        print("dateparser is not installed: pip install dateparser")
    try:
        import parsedatetime

        calendar = parsedatetime.Calendar()

        def parse(text):
            result, status = calendar.parse(text, NOW.timetuple())
            return dt.datetime(*result[:6]) if status else None

        found["parsedatetime"] = parse
    except ImportError:
        print("parsedatetime is not installed: pip install parsedatetime")
    try:
        import recurrent

        found["recurrent"] = lambda text: recurrent.RecurringEvent(now_date=NOW).parse(text)
    except ImportError:
        print("recurrent is not installed: pip install recurrent")
    return found


def peer_is_right(family, answer, expected):
    """A peer needs no grain, and of an interval only its beginning (its end where it has no beginning)."""
    if family == "text":
        return answer is None
    if answer is None:
        return False
    if family in ("date", "interval"):
        value = expected.split(" ")[0]
        if value == "-":
            value = expected.split(" ")[1]
        digits = DIGITS[expected.split(" ")[1]] if family == "date" else (10 if "T00:00:00" in value else 16)
        return isinstance(answer, dt.datetime) and answer.isoformat()[:digits] == value[:digits]
    if family == "repeat":
        start, rule = expected.split(" ")
        if not isinstance(answer, str):
            return False
        try:
            found = rules.rrulestr(answer, dtstart=dt.datetime.fromisoformat(start), ignoretz=True)
            return list(found.between(NOW - dt.timedelta(days=1), END, inc=True))[:40_000] == expanded(start, rule)
        except (ValueError, TypeError):
            return False
    return False


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in map(pathlib.Path, sys.argv[2:]) if len(sys.argv) > 2 else sorted(HELD_OUT.glob("*.tsv")):
        print(f"{path.name}:")
        score(path)
        print()


def score(path):
    phrases = [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    answers = ours(sys.argv[1], phrases)
    families = ["date", "interval", "repeat", "reminder", "text"]
    table = {"ours": {f: [] for f in families}}
    for (family, text, expected), answer in zip(phrases, answers):
        table["ours"][family].append((is_right(family, answer, expected), text))
    for name, parse in peers().items():
        table[name] = {f: [] for f in families}
        for family, text, expected in phrases:
            if family == "reminder":
                continue
            try:
                answer = parse(text)
            except Exception:  # a peer that fails has no answer
                answer = None
            table[name][family].append((peer_is_right(family, answer, expected), text))
    print(f"{'':14}" + "".join(f"{f:>18}" for f in families))
    for name, rows in table.items():
        cells = ""
        for family in families:
            right = sum(ok for ok, _ in rows[family])
            cells += f"{right:>6} of {len(rows[family]):<3}{100 * right / len(rows[family]):5.1f}%" if rows[family] else f"{'–':>18}"
        print(f"{name:14}{cells}")
    print()
    for family in families:
        for ok, text in table["ours"][family]:
            if not ok:
                print(f"fails: {family}: {text}")


if __name__ == "__main__":
    main()
