"""The arguments of nearme: which of them are files to be shipped, and which a task is to be given."""

from dataclasses import dataclass, field

# Files that every task needs; they are shipped, and tasks are given where they lie there.
SHIPPED = {"--cache", "--policy", "--twin", "--reminders", "--profile", "--tones", "--incidents", "--osm"}

# What decides how a trace is replayed, and nothing about what is printed in the end.
SERVICE_VALUES = SHIPPED | {"--monitor", "--planner", "--slots", "--handed-over", "--seed"}

# Options of `score`, `tune` and `replay` that take a value.
OTHER_VALUES = {
    "--require", "--jobs", "--wrong", "--format", "-o", "--output", "--space", "--goal", "--method",
    "--budget", "--folds", "--report", "--chart-library", "--columns", "--time-zone",
}

# Options of `simulate` that take a value, beside those above.
SIMULATE_VALUES = {
    "--again", "--phone", "--around", "--people", "--days", "--date", "--noise", "--sampling", "--speed",
    "--stop-offset", "--category",
}

# Files that a task would write or read in the driver's place.
REFUSED = {
    "--days", "--of-days", "--days-only", "--list-days", "--wanted", "--trials", "--journal",
}
REFUSED_BY_SIMULATE = {"--part", "--of-parts"}


class WrongUsage(Exception):
    """A sentence for the person who gave the command."""


@dataclass
class Arguments:
    """Arguments of a nearme command, taken apart."""

    positional: list = field(default_factory=list)
    # (name, value) in their order; the value of a flag is None.
    options: list = field(default_factory=list)

    def value(self, *names):
        """The last value of an option; None where it is not given."""
        values = [value for name, value in self.options if name in names]
        return values[-1] if values else None

    def has(self, name):
        return any(given == name for given, _ in self.options)

    def words(self, keep=lambda name: True, change=lambda name, value: value):
        """The options as a command line."""
        words = []
        for name, value in self.options:
            if keep(name):
                words += [name] if value is None else [name, change(name, value)]
        return words


def take_apart(words, command):
    """Takes a command line apart, as nearme would.

    Raises WrongUsage for what cannot be done on several machines.
    """
    taken = Arguments()
    values, refused = SERVICE_VALUES | OTHER_VALUES, REFUSED
    if command == "simulate":
        values, refused = values | SIMULATE_VALUES, REFUSED_BY_SIMULATE
    words = list(words)
    while words:
        word = words.pop(0)
        if word == "--":
            taken.positional += words
            break
        if not word.startswith("-") or word == "-":
            taken.positional.append(word)
            continue
        name, equals, value = word.partition("=")
        if name in refused:
            raise WrongUsage(f"{name}: tasks use it themselves; leave it out")
        if equals:
            taken.options.append((name, value))
        elif name in values:
            if not words:
                raise WrongUsage(f"{name} needs a value")
            taken.options.append((name, words.pop(0)))
        else:
            taken.options.append((name, None))
    if "-" in taken.positional:
        raise WrongUsage("standard input can be read by one machine only: name files")
    return taken
