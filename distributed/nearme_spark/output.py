"""The file that is asked for: no input is written over, and it appears only when it is complete."""

import os
import shutil
import sys

from nearme_spark.arguments import Failure, WrongUsage

# What nobody could make again begins with these bytes, or ends with these letters; nearme keeps the same.
KEPT_HEADS = {b"SQLite format 3\0": "a database", b"near-me-key-1 ": "the key of a database"}
TRUTHS = (".truth.json", ".true.csv", ".true.csv.gz")


def check(path, inputs):
    """Refuses, before any work, to write over an input, and where nothing can be written."""
    if path is None or path == "-":
        return
    if any(is_same_file(path, given) for given in inputs):
        raise WrongUsage(f"{path} is an input, which stays as it is: name another file")
    if path.endswith("/"):
        raise WrongUsage(f"{path}: is the name of a folder: name a file")
    if os.path.isdir(path):
        raise Failure(74, f"{path}: cannot be written: is it a folder?")
    what = kept(path)
    if what:
        raise WrongUsage(f"{path} is {what}, which stays as it is: name another file")
    place = path if is_device(path) else os.path.dirname(os.path.realpath(path))
    if not os.access(place, os.W_OK):
        raise Failure(74, f"{path}: cannot be written: check that its folder exists and its permissions")


def is_same_file(first, second):
    """Whether two names are those of one file, also through links."""
    try:
        return os.path.samefile(first, second)
    except OSError:
        return False


def is_device(path):
    """Whether a name is that of a device or a pipe, which is written to: a file put in its place would take it away."""
    return os.path.exists(path) and not os.path.isfile(path)


def kept(path):
    """What a file is that results are not put in the place of; None for any other."""
    if not os.path.isfile(path):
        return None
    if os.path.realpath(path).endswith(TRUTHS):
        return "the truth of a person-day"
    with open(path, "rb") as file:
        head = file.read(16)
    return next((what for start, what in KEPT_HEADS.items() if head.startswith(start)), None)


def write(path, texts):
    """Writes texts one after the other into a file, which is replaced when all of them are written, or prints them."""
    if path is None or path == "-":
        try:
            sys.stdout.buffer.writelines(text.encode() for text in texts)
            sys.stdout.flush()
        except OSError as error:
            raise Failure(74, "standard output: cannot be written") from error
        return
    try:
        if is_device(path):
            with open(path, "wb") as file:
                file.writelines(text.encode() for text in texts)
            return
        # Through links, so that they stay.
        target = os.path.realpath(path)
        unfinished = f"{target}.{os.getpid()}.part"
        try:
            with open(unfinished, "wb") as file:
                file.writelines(text.encode() for text in texts)
            if os.path.exists(target):
                shutil.copymode(target, unfinished)
            os.replace(unfinished, target)
        except OSError:
            if os.path.exists(unfinished):
                os.remove(unfinished)
            raise
    except OSError as error:
        raise Failure(74, f"{path}: cannot be written: {error.strerror}") from error
