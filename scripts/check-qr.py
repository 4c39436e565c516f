#!/usr/bin/env python3
"""Reads the QR codes of `nearme phone add` back, as a phone's camera would: on a terminal of 120 and of 80 columns, and
in a pipe.

    scripts/check-qr.py NEARME         needs Python's zxing-cpp and pillow
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

from PIL import Image
import zxingcpp


def run_on_terminal(command, columns):
    """What a command prints on a terminal that is so wide; None: in a pipe."""
    if columns is None:
        return subprocess.run(command + ["--qr"], stdout=subprocess.PIPE, check=True).stdout.decode()
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 60, columns, 0, 0))
    process = subprocess.Popen(command, stdout=theirs)
    os.close(theirs)
    output = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        output += piece
    if process.wait() != 0:
        sys.exit(f"check-qr: {command[1:3]} ended with {process.returncode}")
    return output.decode().replace("\r\n", "\n")


def pictures(text):
    """The runs of lines that are made of half blocks, each as a picture."""
    group = []
    for line in re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n") + [None]:
        if line is not None and len(line) > 20 and not line.strip(" ▀▄█"):
            group.append(line)
        elif group:
            picture = Image.new("L", (len(group[0]), 2 * len(group)), 255)
            for y, row in enumerate(group):
                for x, character in enumerate(row):
                    if character in "▀█":
                        picture.putpixel((x, 2 * y), 0)
                    if character in "▄█":
                        picture.putpixel((x, 2 * y + 1), 0)
            yield picture.resize((picture.width * 4, picture.height * 4), Image.NEAREST)
            group = []


def main():
    nearme = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        home = ["--home", folder + "/family", "--url", "https://near.example.org"]
        subprocess.run([nearme, "person", "add", "anna", *home[:2]], stdout=subprocess.DEVNULL, check=True)
        for number, columns in enumerate([120, 80, None]):
            text = run_on_terminal([nearme, "phone", "add", "anna", f"phone{number}", *home], columns)
            links = re.findall(r"^ +((?:owntracks|overland)://\S+)$", text, re.M)
            read = [result.text for one in pictures(text) for result in zxingcpp.read_barcodes(one)]
            where = "a pipe" if columns is None else f"{columns} columns"
            widest = max(len(line) for line in re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n") if "▀" in line)
            if len(links) != 2 or read != links or (columns and widest > columns):
                sys.exit(f"check-qr: {where}: {len(links)} links, {len(read)} codes read, {widest} columns")
            print(f"{where}: both codes read back, {widest} columns wide, links of {[len(l) for l in links]} characters")


main()
