#!/usr/bin/env python3
"""Writes a man page for the program and for each of its commands, from its own help.

    scripts/man_pages.py PROGRAM FOLDER
"""
import json
import os
import subprocess
import sys


def escaped(text):
    """Text of roff: backslashes, hyphens that are options, and lines that begin with a control character."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def flag(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def option(argument):
    names = [flag(name) for name in argument.get("names", [])]
    value = "" if argument["kind"] == "flag" else argument.get("valueName", "value")
    if argument["kind"] == "positional":
        return "\\fI" + escaped(value) + "\\fR"
    text = ", ".join("\\fB" + escaped(name) + "\\fR" for name in names)
    return text + (" \\fI" + escaped(value) + "\\fR" if value else "")


def synopsis(argument):
    text = option(argument).split(", ")[0]
    if argument["kind"] == "positional":
        shown = text + (" ..." if argument.get("isRepeating") else "")
    else:
        preferred = dict(argument, names=[argument["preferredName"]])
        shown = option(preferred)
    return "[" + shown + "]" if argument.get("isOptional") else shown


def body(text):
    """Paragraphs; what is indented is an example and keeps its lines."""
    lines, isExample = [], False
    for line in text.split("\n"):
        if line.startswith("  ") != isExample and line.strip():
            isExample = line.startswith("  ")
            lines.append(".RS 2\n.nf" if isExample else ".fi\n.RE\n.PP")
        if line.strip():
            lines.append(escaped(line[2:].rstrip() if isExample else line))
        elif not isExample:
            lines.append(".PP")
    if isExample:
        lines.append(".fi\n.RE")
    return lines


def page(command, path, version, see_also):
    name = "-".join(path)
    shown = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
    lines = [
        f'.TH "{name.upper()}" 1 "" "nearme {version}" "Near Me"',
        ".SH NAME", escaped(name) + " \\- " + escaped(command.get("abstract", "").rstrip(".")),
        ".SH SYNOPSIS", "\\fB" + escaped(" ".join(path)) + "\\fR "
        + ("\\fIcommand\\fR" if command.get("subcommands") and not shown[1:]
           else " ".join(synopsis(a) for a in shown)),
    ]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION"] + body(command["discussion"])
    if shown:
        lines.append(".SH OPTIONS")
        for argument in shown:
            lines += [".TP", option(argument)]
            text = argument.get("abstract", "")
            values = argument.get("allValues") or argument.get("allValueStrings")
            if values and not any(value in text for value in values):
                text += " (values: " + ", ".join(values) + ")"
            default = argument.get("defaultValue")
            if default and "default" not in text:
                text += f" (default: {default})"
            lines.append(escaped(text) or "\\&")
            if argument.get("discussion"):
                # Indented as the option's own text is.
                lines += [".RS", ".PP"] + body(argument["discussion"]) + [".RE"]
    commands = [c for c in command.get("subcommands", []) if c["commandName"] != "help"]
    if commands:
        lines.append(".SH COMMANDS")
        for sub in commands:
            lines += [".TP", "\\fB" + escaped("-".join(path + [sub["commandName"]])) + "\\fR(1)",
                      escaped(sub.get("abstract", ""))]
    if not path[1:]:
        lines += [".SH EXIT STATUS"]
        for status, meaning in [
            (0, "Done."), (1, "A check failed."), (3, "A search found nothing better than what one has."),
            (64, "Wrong usage."), (65, "Bad input."), (66, "An input is missing."),
            (70, "An error of the program itself; please report it."),
            (74, "Something cannot be read or written."), (130, "Stopped by Ctrl-C."),
        ]:
            lines += [".TP", f"\\fB{status}\\fR", escaped(meaning)]
    if see_also:
        lines += [".SH SEE ALSO", ", ".join("\\fB" + escaped(s) + "\\fR(1)" for s in see_also)]
    return "\n".join(lines) + "\n"


def write(command, path, version, folder):
    parents = ["-".join(path[:-1])] if path[1:] else []
    with open(os.path.join(folder, "-".join(path) + ".1"), "w", encoding="utf-8") as file:
        file.write(page(command, path, version, parents))
    count = 1
    for sub in command.get("subcommands", []):
        if sub["commandName"] != "help":
            count += write(sub, path + [sub["commandName"]], version, folder)
    return count


def main():
    program, folder = sys.argv[1:]
    help_text = subprocess.run(
        [program, "--experimental-dump-help"], check=True, capture_output=True, text=True
    ).stdout
    version = subprocess.run(
        [program, "--version"], check=True, capture_output=True, text=True
    ).stdout.split()[0]
    os.makedirs(folder, exist_ok=True)
    print(write(json.loads(help_text)["command"], ["nearme"], version, folder), "man pages")


main()
