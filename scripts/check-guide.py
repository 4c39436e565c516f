#!/usr/bin/env python3
"""Runs every command of docs/serve.md that stands in a box of `sh`, in order, on this machine, as root.

  scripts/check-guide.py DEB

For containers: it installs the package and purges it. In place of systemd it runs the unit's own command as the unit's
user; the map is the sample's; the name is this machine, without the proxy (make check-packaging has that part).
"""
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Programs that this machine may not have, as the guide needs them.
SHIMS = r"""
set -euo pipefail
sudo() {
  if [ "$1" = -u ]; then local user=$2; shift 2; setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
  elif [ "$1" = systemctl ]; then shift; systemctl "$@"
  else "$@"; fi
}
systemctl() {
  [ "$2" = nearme ] || return 0
  case $1 in
    start)
      local command
      command=$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/nearme.service)
      command=${command/'$NEARME_SERVE_OPTIONS'/}
      (umask 0077; cd /var/lib/nearme; exec setpriv --reuid nearme --regid nearme --clear-groups \
        env NEARME_HOME=/var/lib/nearme $command) >"$FOLDER/log" 2>&1 &
      SERVER=$!
      for _ in $(seq 100); do grep -q '^listening' "$FOLDER/log" && return 0; sleep 0.1; done
      cat "$FOLDER/log" >&2; return 1 ;;
    stop) kill "$SERVER" && wait "$SERVER" ;;
    restart) systemctl stop nearme; systemctl start nearme ;;
  esac
}
trap '[ -z "${SERVER:-}" ] || kill "$SERVER" 2>/dev/null || true' EXIT
"""


def main():
    if os.getuid() != 0 or os.path.exists("/var/lib/nearme"):
        print("check-guide: left out: it needs root, and no /var/lib/nearme", file=sys.stderr)
        return
    text = (ROOT / "docs/serve.md").read_text()
    boxes = re.findall(r"```sh\n(.*?)```", text, re.S)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(sys.argv[1], folder)
        os.chmod(folder, 0o755)
        shutil.copy(ROOT / "data/port-ardent.osm.pbf", folder + "/region.osm.pbf")
        os.chmod(folder + "/region.osm.pbf", 0o644)
        script = SHIMS + "cd $FOLDER\n"
        for number, box in enumerate(boxes, 1):
            # The log of its first lines says where it was when something failed.
            script += f"echo '--- box {number}' \n"
            box = box.replace("/srv/region", folder + "/region").replace("/root/nearme-backup", folder + "/nearme-backup")
            box = re.sub(r".*(caddy|Caddyfile).*\n", "true\n", box) if "caddy" in box else box
            box = box.replace("https://near.example.org/in", "http://127.0.0.1:8787/in")
            if "phone add" in box:
                box = box.rstrip("\n") + ' | tee "$FOLDER/phone"\nPASSWORD=$(sed -n "s/.*password \\([a-z0-9]*\\).*/\\1/p" "$FOLDER/phone")\n'
            if '"signal"' in box:
                box += "\nsleep 3\ndoor reminder why --db /var/lib/nearme/people/anna.db | tee $FOLDER/why\ngrep -q told $FOLDER/why\n"
            if "tar -C" in box:
                box += "tar -tzf $FOLDER/nearme-backup.tgz | grep -q door.sqlite.key\n"
            # The only package that is not on the machine yet is ours.
            box = box.replace("sudo apt-get purge", "DEBIAN_FRONTEND=noninteractive sudo apt-get purge")
            if "apt-get remove" in box:
                box = "systemctl stop nearme; SERVER=\n" + box
            script += box
        process = subprocess.run(["bash"], input=script, text=True, env={**os.environ, "FOLDER": folder, "DEBIAN_FRONTEND": "noninteractive"},
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if process.returncode != 0:
            print(process.stdout)
            sys.exit(f"check-guide: a command of docs/serve.md ends with {process.returncode}")
    left = os.path.exists("/var/lib/nearme") or any(user.pw_name == "nearme" for user in pwd.getpwall())
    if left:
        sys.exit("check-guide: after the removal something is left")
    lines = sum(1 for box in boxes for line in box.splitlines() if line and not line.startswith(" "))
    if "-v" in sys.argv:
        print(process.stdout)
    print(f"check-guide: {lines} commands in {len(boxes)} boxes of docs/serve.md work, from the package to its removal")


main()
