"""Files that every executor needs, shipped once, and compared there with what was sent."""

import hashlib
import os
import shutil
import stat
import subprocess
import zipfile


def checksum(path):
    """SHA-256 of a file, or of all files of a folder with their names."""
    digest = hashlib.sha256()
    if os.path.isdir(path):
        for name in sorted(os.listdir(path)):
            if not name.startswith("."):
                digest.update(name.encode() + b"\0" + checksum(os.path.join(path, name)).encode())
        return digest.hexdigest()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            digest.update(piece)
    return digest.hexdigest()


def pack(archive):
    """Packs this package, for addPyFile and --py-files; returns False where it is in an archive already."""
    source = os.path.dirname(os.path.abspath(__file__))
    if not os.path.isdir(source):
        return False
    with zipfile.ZipFile(archive, "w") as file:
        for name in sorted(os.listdir(source)):
            if name.endswith(".py"):
                file.write(os.path.join(source, name), f"nearme_spark/{name}")
    return True


class Shipment:
    """Ships files under names that begin with their checksums."""

    def __init__(self, context, folder):
        self.context = context
        self.folder = folder
        self.sent = {}

    def send(self, path):
        """Ships a file or a folder; returns the name under which tasks find it."""
        path = os.path.abspath(path)
        if path not in self.sent:
            name = checksum(path) + "-" + os.path.basename(path)
            staged = os.path.join(self.folder, name)
            if os.path.isdir(path):
                shutil.copytree(path, staged)
            else:
                shutil.copyfile(path, staged)
                # A binary has to stay one; where files lose their modes, the task restores it.
                os.chmod(staged, os.stat(path).st_mode | stat.S_IRUSR)
            self.context.addFile(staged, recursive=os.path.isdir(path))
            self.sent[path] = name
        return self.sent[path]


_checked = set()


def arrived(name):
    """Where a shipped file lies on this executor, once it is known to be what was sent."""
    from pyspark import SparkFiles

    path = SparkFiles.get(name)
    if path not in _checked:
        found = checksum(path)
        if found != name.split("-", 1)[0]:
            raise RuntimeError(f"{path}: arrived with the checksum {found}, and not as it was sent")
        _checked.add(path)
    return path


def arrived_program(name, version):
    """Where the binary lies on this executor, once it is known to run here and to be the driver's."""
    path = arrived(name)
    if (path, version) not in _checked:
        if not os.access(path, os.X_OK):
            os.chmod(path, 0o755)
        found = version_of(path)
        if found != version:
            raise RuntimeError(f"{path}: says that it is {found}, and the driver's is {version}")
        _checked.add((path, version))
    return path


def version_of(program):
    """What a binary says that it is."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise RuntimeError(
            f"{program}: does not run on this machine ({error}): build it for the executors' system, with "
            "its libraries, as docs/scale.md says"
        ) from error
    return done.stdout.strip()
