"""The arguments of nearme, as the binary itself lists them, and which of them a task is to be given."""

import json
import subprocess
from dataclasses import dataclass, field

# Files that every task needs; they are shipped, and tasks are given where they lie there.
SHIPPED = {"--cache", "--policy", "--twin", "--reminders", "--profile", "--incidents", "--osm"}

# Which command a task runs; `nearme evaluate` tries the policies of a search.
OF_TASKS = {"score": "score", "replay": "replay", "tune": "evaluate", "simulate": "simulate"}

# What a task is not given: where all of it goes, how many cores it takes, and what is said of all days together.
NOT_FOR_TASKS = {
    "score": {"--output", "--jobs", "--format", "--require", "--wrong"},
    "replay": {"--output", "--jobs"},
    "tune": {"--output", "--jobs"},
    "simulate": {"--output", "--jobs"},
}

_OWN = "tasks use it themselves; leave it out"
_PAGE = "it is of a page, which shows one trace: run nearme replay for it"
_DATABASE = "a user database and its key stay on their machine: name --reminders FILE, or run nearme replay"

# What cannot be done on several machines, and why.
REFUSED = {
    "score": {
        "--days": _OWN,
        "--of-days": _OWN,
        "--days-only": _OWN,
        "--list-days": _OWN,
        "--draws": "what tasks say of a day is of one draw: run nearme score --draws on one machine",
    },
    "replay": {
        "--db": _DATABASE,
        "--key-file": _DATABASE,
        "--journal": "it is of one host: run nearme replay --journal on one machine",
        "--map-library": _PAGE,
        "--basemap": _PAGE,
    },
    "tune": {"--wanted": _OWN},
    "simulate": {"--part": _OWN, "--of-parts": _OWN},
}


class Failure(Exception):
    """A sentence for the person who gave the command, and the status with which it ends."""

    def __init__(self, status, sentence):
        super().__init__(sentence)
        self.status = status


class WrongUsage(Failure):
    """What is wrong with a command."""

    def __init__(self, sentence):
        super().__init__(64, sentence)


class AnsweredByNearme(Exception):
    """A command line that nearme ends with at once: it asks for help, or is not understood."""


@dataclass
class Arguments:
    """Arguments of a nearme command, taken apart."""

    positional: list = field(default_factory=list)
    # (name, value) in their order, each by its preferred name; the value of a flag is None.
    options: list = field(default_factory=list)

    def value(self, name):
        """The last value of an option; None where it is not given."""
        values = [value for given, value in self.options if given == name]
        return values[-1] if values else None

    def has(self, name):
        return any(given == name for given, _ in self.options)

    def words(self, keep=lambda name: True):
        """The options as a command line."""
        return [word for name, value in self.options if keep(name) for word in as_words(name, value)]

    def shipped(self):
        """The files that are shipped."""
        return [value for name, value in self.options if is_shipped(name, value)]


def as_words(name, value):
    """An option as words of a command line."""
    if value is None:
        return [name]
    # What begins with a dash would be taken for an option.
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


def is_shipped(name, value):
    """Whether the value of an option is a file that tasks need; a profile may also be a name that nearme knows."""
    return name in SHIPPED and (name != "--profile" or "/" in value or "." in value)


def described(program):
    """What each command of the binary takes, as it says itself."""
    try:
        done = subprocess.run([program, "--experimental-dump-help"], capture_output=True, text=True, check=True)
        commands = json.loads(done.stdout)["command"]["subcommands"]
        return {command["commandName"]: command["arguments"] for command in commands}
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError) as error:
        raise RuntimeError(f"{program}: does not say which options it has: is it nearme?") from error


def by_name(arguments):
    """The options and flags of a command, by each of their names, with the one that is preferred."""
    return {
        flag(name): (flag(argument["preferredName"]), argument)
        for argument in arguments
        for name in argument.get("names", [])
    }


def flag(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def take_apart(words, command, arguments):
    """Takes a command line apart, as nearme would.

    arguments: what ``described`` says of the command.
    Raises WrongUsage for what cannot be done on several machines, and AnsweredByNearme for what nearme refuses itself.
    """
    taken = Arguments()
    known = by_name(arguments)
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
        if name not in known or name in ("--help", "-h", "--version"):
            raise AnsweredByNearme
        name, argument = known[name]
        if name in REFUSED[command]:
            raise WrongUsage(f"{name}: {REFUSED[command][name]}")
        if argument["kind"] == "flag":
            if equals:
                raise AnsweredByNearme
            taken.options.append((name, None))
            continue
        if not equals:
            if not words or is_no_value(words[0], argument):
                raise AnsweredByNearme
            value = words.pop(0)
        choices = argument.get("allValues")
        if equals and not value or choices and value not in choices:
            raise AnsweredByNearme
        taken.options.append((name, value))
    for name, argument in known.values():
        if not argument.get("isOptional") and not taken.has(name):
            raise AnsweredByNearme
    if taken.positional and not any(argument["kind"] == "positional" for argument in arguments):
        raise AnsweredByNearme
    if "-" in taken.positional:
        raise WrongUsage("standard input can be read by one machine only: name files")
    return taken


def is_no_value(word, argument):
    """Whether the binary takes a word for the next option rather than for an option's value."""
    return word.startswith("-") and word != "-" and argument.get("parsingStrategy") == "default"
