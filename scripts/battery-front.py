#!/usr/bin/env python3
"""Battery against visits: how long a sleeping app stays awake beside a place, whether its receiver rests meanwhile, and
what that finds and costs.

  scripts/battery-front.py CACHE CORPUS... [--svg FILE]

$NEARME is the command (.build/release/nearme). Prints a table; with --svg it draws the same (docs/battery-front.svg).
"""
import json
import os
import subprocess
import sys
import tempfile

WEIGH = ["1m", "2m", "4m", "8m", "11m", "12m", "20m"]
DEFAULTS = [("ios", "always", "11m"), ("android", "never", "12m")]
CROWDED = ["1m", "2m", "8m", "12m", "20m"]
COLORS = {"ios": "#1f6fb2", "android": "#3a8f4d"}
RESTS = {"never": "", "always": " 4 3"}


def score(nearme, monitor, weigh, ease, cache, corpora):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as policy:
        policy.write(f'monitor: {{weigh: "{weigh}", ease: {ease}}}\n')
        policy.flush()
        command = [nearme, "score", *corpora, "--cache", cache, "--monitor", monitor, "--no-ledger"]
        command += ["--format", "json", "--policy", policy.name]
        out = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    scores = json.loads(out)["parts"][0]["scores"]
    wanted = ["battery_percent_per_day", "recall_5min", "fpr", "own_recall"]
    return [100 * scores[name]["value"] if i > 0 else scores[name]["value"] for i, name in enumerate(wanted)]


def drawing(rows):
    """The rows as a picture, battery to the right and visits upward."""
    width, height, left, bottom = 640, 400, 60, 50
    most = max(row[3] for row in rows) * 1.08
    x = lambda battery: left + (width - left - 20) * battery / most
    y = lambda share: height - bottom - (height - bottom - 20) * (share - 50) / 50
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        "<title>Visits of 5 minutes announced against battery a day, by how long an app weighs</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for share in range(50, 101, 10):
        parts.append(f'<path d="M{left} {y(share):.0f}H{width - 20}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y(share) + 4:.0f}" text-anchor="end">{share} %</text>')
    for battery in range(0, int(most) + 1):
        parts.append(f'<text x="{x(battery):.0f}" y="{height - bottom + 18}" text-anchor="middle">{battery} %</text>')
    parts.append(f'<text x="{(left + width) / 2:.0f}" y="{height - 10}" text-anchor="middle">of a battery a day</text>')
    parts.append(f'<text x="{left + 10}" y="{height - bottom - 10}">dashed: the receiver rests</text>')
    parts.append(f'<path d="M{x(3):.0f} 20V{height - bottom}" stroke="#b33" stroke-dasharray="4 4"/>')
    parts.append(f'<text x="{x(3) - 6:.0f}" y="32" text-anchor="end" fill="#b33">goal</text>')
    for monitor, color in COLORS.items():
        for ease, dashes in RESTS.items():
            own = [row for row in rows if row[:2] == (monitor, ease)]
            line = "L".join(f"{x(row[3]):.1f} {y(row[4]):.1f}" for row in own)
            parts.append(f'<path d="M{line}" fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dashes}"/>')
            for row in own:
                size = 6 if row[:3] in DEFAULTS else 3.5
                parts.append(f'<circle cx="{x(row[3]):.1f}" cy="{y(row[4]):.1f}" r="{size}" fill="{color}"/>')
                if ease == "always" and row[2] in CROWDED:
                    continue
                below = 18 if monitor == "android" else -9
                parts.append(
                    f'<text x="{x(row[3]):.1f}" y="{y(row[4]) + below:.1f}" text-anchor="middle" fill="{color}">{row[2]}</text>'
                )
        parts.append(
            f'<text x="{width - 24}" y="{height - bottom - (28 if monitor == "ios" else 10)}" text-anchor="end"'
            f' fill="{color}">{monitor}</text>'
        )
    return "\n".join(parts + ["</svg>"]) + "\n"


def main(arguments):
    svg = None
    if "--svg" in arguments[:-1]:
        at = arguments.index("--svg")
        svg = arguments[at + 1]
        arguments = arguments[:at] + arguments[at + 2 :]
    if len(arguments) < 2 or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 64
    nearme = os.environ.get("NEARME", ".build/release/nearme")
    rows = []
    print("| phone | receiver | weighs for | battery a day % | visits of 5 min % | encounters % | home and work % |")
    print("|---|---|---|---|---|---|---|")
    for monitor in COLORS:
        for ease in RESTS:
            for weigh in WEIGH:
                try:
                    battery, visits, told, own = score(nearme, monitor, weigh, ease, arguments[0], arguments[1:])
                except (OSError, subprocess.CalledProcessError) as error:
                    print(f"battery-front: {error}", file=sys.stderr)
                    return 1
                rows.append((monitor, ease, weigh, battery, visits))
                mark = "**" if (monitor, ease, weigh) in DEFAULTS else ""
                receiver = "on" if ease == "never" else "rests"
                print(
                    f"| {monitor} | {receiver} | {mark}{weigh}{mark} | {battery:.2f} | {visits:.1f} | {told:.1f} | {own:.1f} |",
                    flush=True,
                )
    if svg:
        with open(svg, "w") as file:
            file.write(drawing(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
