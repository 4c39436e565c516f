#!/usr/bin/env python3
"""How often intervals miss: days are drawn from those of a corpus, and the score of all of them is the truth.

    nearme score CORPUS... --cache CACHE --monitor stream --no-ledger --days-only > days.jsonl
    nearme score (the same) --policy OTHER > other.jsonl
    scripts/interval-coverage.py days.jsonl other.jsonl [TRIALS]

Prints a row for each score: in how many percent of the trials the interval of Sources/Scoring/DayDraws.swift, whose
rules are written here again, misses the truth, and in brackets the plain percentile bootstrap, by the count of days.
Then the same of what the score gains with the other policy, and of no gain at all: each day's two policies in a drawn
order, so that whatever is found is chance. Needs numpy.
"""
import json
import sys

import numpy as np

COUNTS = "days hours visits visitsFound longVisits longVisitsFound arrivals arrivalsTrue arrivalsRepeated arrivalsFalse"
COUNTS += " arrivalsWithPOI arrivalsNamedRight ownVisits ownVisitsFound ownArrivals ownArrivalsRepeated ownArrivalsFalse"
COUNTS += " driveBys driveBysByPOI driveBysByCategory nearStays nearStaysByPOI nearStaysByCategory"
COUNTS += " decoys decoysByPOI decoysByCategory"
INDEX = {name: i for i, name in enumerate(COUNTS.split())}
Z = 1.959964
MANY = 50
FEWEST_CHANGED = 6
RESAMPLES = 1_000
SIZES = [5, 7, 10, 14, 20, 30, 49, 60]


def t_quantile(freedom):
    """Student's t at 97.5 % by the expansion of Cornish and Fisher."""
    z, v = Z, freedom
    return (
        z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )


SHARES = {
    "recall": (["visitsFound"], ["visits"]),
    "recall_5min": (["longVisitsFound"], ["longVisits"]),
    "precision": (["arrivalsTrue"], ["arrivals"]),
    "own_recall": (["ownVisitsFound"], ["ownVisits"]),
    "fpr": (["driveBysByPOI", "nearStaysByPOI", "decoysByPOI"], ["driveBys", "nearStays", "decoys"]),
    "fpr_near_stays": (["nearStaysByPOI"], ["nearStays"]),
    "fpr_decoys": (["decoysByPOI"], ["decoys"]),
}
RATES = {
    "false_per_day": (["arrivalsFalse"], ["days"]),
    "wrong_per_day": (["arrivalsFalse", "arrivalsRepeated", "ownArrivalsFalse", "ownArrivalsRepeated"], ["days"]),
}


def column(table, names):
    return sum(table[:, INDEX[name]] for name in names)


def bound(hits, of, z, is_share):
    """The score interval of a share (Wilson), or of a rate."""
    if of <= 0:
        return -np.inf, np.inf
    if is_share:
        share = min(1.0, hits / of)
        middle = (share + z * z / (2 * of)) / (1 + z * z / of)
        half = z / (1 + z * z / of) * np.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
        return middle - half, middle + half
    half = z * np.sqrt(hits + z * z / 4)
    return (hits + z * z / 2 - half) / of, (hits + z * z / 2 + half) / of


def ends(drawn):
    drawn = np.sort(drawn[~np.isnan(drawn)])
    n = len(drawn)
    return drawn[int(np.ceil(0.025 * n)) - 1], drawn[int(np.ceil(0.975 * n)) - 1]


def widened(value, low, high, days):
    if days >= MANY:
        return low, high
    wider = np.sqrt(days / (days - 1)) * t_quantile(days - 1) / Z
    return value - (value - low) * wider, value + (high - value) * wider


def interval(value, drawn, hits, of, days, is_share):
    plain = ends(drawn)
    low, high = widened(value, *plain, days)
    if days < MANY or low == high:
        variance = np.nanvar(drawn) * days / (days - 1)
        alone = value * (1 - value) if is_share else value
        # As many trials as vary so much by themselves.
        if variance > 0 and alone > 0 and alone / variance < of:
            of = alone / variance
            hits = value * of
        least, most = bound(hits, of, t_quantile(days - 1) if days < MANY else Z, is_share)
        low, high = min(low, least), max(high, most)
    low = max(low, 0)
    return low, min(high, 1) if is_share else high


def misses(low, high, truth):
    return not low - 1e-12 <= truth <= high + 1e-12


def shares(weights, above, below):
    with np.errstate(invalid="ignore", divide="ignore"):
        return (weights @ above) / (weights @ below)


def score_row(table, above, below, is_share, trials, random):
    """For each count of days the misses in percent, of the interval and of the plain bootstrap."""
    truth = above.sum() / below.sum()
    for n in SIZES:
        missed, before, scored = 0, 0, 0
        for _ in range(trials):
            days = random.integers(0, len(table), n)
            hits, of = above[days].sum(), below[days].sum()
            if of == 0:
                continue
            draws = random.multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
            drawn = shares(draws, above[days], below[days])
            scored += 1
            before += misses(*ends(drawn), truth)
            missed += misses(*interval(hits / of, drawn, hits, of, n, is_share), truth)
        yield 100 * missed / scored, 100 * before / scored


def change_bound(changes, of, days, is_share):
    """The interval of a difference between two shares, or rates, of the same trials (Agresti and Min)."""
    more, less = changes[changes > 0].sum(), -changes[changes < 0].sum()
    t = t_quantile(days - 1)
    if not is_share:
        half = t * np.sqrt(more + less + 1) / of
        return (more - less) / of - half, (more - less) / of + half
    half = t * np.sqrt(max(0, more + less + 1 - (more - less) ** 2 / (of + 2))) / (of + 2)
    return (more - less) / (of + 2) - half, (more - less) / (of + 2) + half


def gain_row(first, second, is_share, trials, random, is_chance):
    """The same of the difference of two policies; where all is chance there is none."""
    (above, below), (above2, below2) = first, second
    truth = 0 if is_chance else above2.sum() / below2.sum() - above.sum() / below.sum()
    for n in SIZES:
        missed, before, scored = 0, 0, 0
        for _ in range(trials):
            days = random.integers(0, len(above), n)
            a, b = above[days].copy(), below[days].copy()
            c, d = above2[days].copy(), below2[days].copy()
            if is_chance:
                turned = random.integers(0, 2, n) == 1
                a[turned], c[turned] = c[turned], a[turned]
                b[turned], d[turned] = d[turned], b[turned]
            if b.sum() == 0 or d.sum() == 0:
                continue
            draws = random.multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
            value = c.sum() / d.sum() - a.sum() / b.sum()
            low, high = ends(shares(draws, c, d) - shares(draws, a, b))
            scored += 1
            before += misses(low, high, truth)
            low, high = widened(value, low, high, n)
            if n < MANY:
                least, most = change_bound(c - a, (b.sum() + d.sum()) / 2, n, is_share)
                low, high = min(low, least), max(high, most)
            if ((a != c) | (b != d)).sum() < FEWEST_CHANGED:
                low, high = min(low, 0), max(high, 0)
            missed += misses(low, high, truth)
        yield 100 * missed / scored, 100 * before / scored


def read(path):
    tallies = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            part = next(part for part in json.loads(line)["parts"] if part["dimension"] == "all")
            row = np.zeros(len(INDEX))
            for field in part["tally"].split(";")[0].split(","):
                key, value = field.split("=")
                if int(key) < len(row):
                    row[int(key)] = float(value)
            tallies.append(row)
    return np.array(tallies)


def main():
    table, other = read(sys.argv[1]), read(sys.argv[2])
    trials = int(sys.argv[3]) if len(sys.argv) > 3 else 1_000
    print(f"| misses of {trials} in % (plain) | " + " | ".join(f"{n} days" for n in SIZES) + " |")
    print("|---|" + "---|" * len(SIZES))

    def show(name, row):
        cells = [f"{own:.0f} ({plain:.0f})" for own, plain in row]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)

    for name, (over, under) in {**SHARES, **RATES}.items():
        above, below = column(table, over), column(table, under)
        show(f"`{name}`", score_row(table, above, below, name in SHARES, trials, np.random.default_rng(1)))
    for is_chance in (False, True):
        for name in ("recall", "precision", "fpr", "false_per_day"):
            over, under = {**SHARES, **RATES}[name]
            pair = [(column(each, over), column(each, under)) for each in (table, other)]
            what = "no gain in" if is_chance else "gain in"
            show(f"{what} `{name}`", gain_row(*pair, name in SHARES, trials, np.random.default_rng(1), is_chance))


main()
