#!/usr/bin/env bash
# Makes a release: a tarball and a .deb with the stripped program, man pages from its help, completions, the
# sample data, and what the service of `nearme serve` needs.
#
#   scripts/dist.sh [FOLDER]       FOLDER is .build/dist without it
#
# Swift's own libraries are inside the program; what is left are the system's: expat, zlib, bzip2, libdeflate, libcurl,
# SQLite, and SpatiaLite, which is loaded where it is needed. NEARME_BINARY=FILE packs a program that is built already. The
# program names the commit of the sources, or what NEARME_COMMIT says in its place.
set -euo pipefail
cd "$(dirname "$0")/.."

out=${1:-.build/dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
stage=$out/stage
rm -rf "$stage" "$out"/nearme*.tar.gz "$out"/nearme*.deb
mkdir -p "$stage"

# For --version. What is given counts: sources without their history can be told what they are.
if [ -z "${NEARME_COMMIT:-}" ]; then
  NEARME_COMMIT=$(git rev-parse --short=10 HEAD 2>/dev/null || true)
  if [ -n "$NEARME_COMMIT" ] && [ -n "$(git status --porcelain)" ]; then NEARME_COMMIT+=+; fi
fi
export NEARME_COMMIT

if [ -n "${NEARME_BINARY:-}" ]; then
  binary=$NEARME_BINARY
else
  swift build -c release --product nearme --static-swift-stdlib --scratch-path .build/static
  binary=.build/static/release/nearme
fi

# The folder usr/ of both packages.
usr=$stage/usr
install -D -m 755 "$binary" "$usr/bin/nearme"
strip --strip-unneeded "$usr/bin/nearme"
nearme=$usr/bin/nearme
full=$("$nearme" --version)
version=${full%% *}
if [ -z "${NEARME_BINARY:-}" ] && [ "$full" != "$version${NEARME_COMMIT:+ ($NEARME_COMMIT)}" ]; then
  echo "dist: the program says it is $full, and the sources are $NEARME_COMMIT" >&2
  exit 1
fi

mkdir -p "$usr/share/man/man1"
scripts/man_pages.py "$nearme" "$usr/share/man/man1"
gzip -9n "$usr"/share/man/man1/*.1

# Where the parser knows no words for a value, most of them are files: names of files are offered.
declare -A offering_files=(
  [bash]='s/^complete -o filenames /&-o bashdefault -o default /'
  [zsh]="s/(\[.*\]|^ *'):([^:']*):'$/\1:\2:_files'/"
  [fish]="/^complete -c 'nearme' -f$/d; s/ -rfka ''$/ -rF/"
)
for pair in bash:bash-completion/completions/nearme zsh:zsh/vendor-completions/_nearme \
  fish:fish/vendor_completions.d/nearme.fish; do
  shell=${pair%%:*}
  install -d "$(dirname "$usr/share/${pair#*:}")"
  "$nearme" --generate-completion-script "$shell" | sed -E "${offering_files[$shell]}" >"$usr/share/${pair#*:}"
done

data=$usr/share/nearme
mkdir -p "$data" "$usr/share/doc/nearme"
cp -r data traces examples "$data/"
# Where an installed program looks for files of a kind.
for kind in languages profiles tones; do ln -s "data/$kind" "$data/$kind"; done
cp LICENSE "$usr/share/doc/nearme/copyright"
cp README.md CHANGELOG.md docs/serve.md "$usr/share/doc/nearme/"
install -d "$usr/share/doc/nearme/examples"
cp packaging/nginx.conf packaging/Caddyfile "$usr/share/doc/nearme/examples/"
gzip -9n "$usr/share/doc/nearme/CHANGELOG.md"
find "$stage" -type d -exec chmod 755 {} +
find "$usr/share" -type f -exec chmod 644 {} +

install -D -m 644 packaging/nearme.service "$usr/lib/systemd/system/nearme.service"

machine=$(uname -m)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
tarball=$out/nearme-$version-linux-$machine.tar.gz
tar -C "$stage" --transform "s,^usr,nearme-$version," --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime="@$epoch" -cf - usr | gzip -9n >"$tarball"

if command -v dpkg-deb >/dev/null; then
  if command -v dpkg-shlibdeps >/dev/null; then
    # It reads the name of a package from a file that only source packages have.
    mkdir -p "$stage/source/debian"
    printf 'Source: nearme\n\nPackage: nearme\nArchitecture: any\n' >"$stage/source/debian/control"
    depends=$(cd "$stage/source" && dpkg-shlibdeps -O --ignore-missing-info "$nearme" 2>/dev/null |
      sed -n 's/^shlibs:Depends=//p')
    rm -rf "$stage/source"
  else
    # The packages of the libraries that the program itself names, whatever those need in turn.
    depends=$(
      objdump -p "$nearme" | awk '$1 == "NEEDED" { print $2 }' | while read -r library; do
        path=$(ldconfig -p | awk -v name="$library" '$1 == name { print $NF; exit }')
        [ -n "$path" ] || continue
        { dpkg -S "$path" || dpkg -S "$(readlink -f "$path")" || dpkg -S "/usr$path"; } 2>/dev/null | head -1 |
          cut -d: -f1
      done | sort -u | paste -sd, | sed 's/,/, /g'
    )
  fi
  [ -n "$depends" ] || {
    echo "dist: no package is found for the libraries of $nearme" >&2
    exit 1
  }
  # It is loaded by its name, which the program's list of libraries does not have.
  path=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p |
    awk '$1 ~ /^libspatialite\.so\.[0-9]+$/ && !path { path = $NF } END { print path }') || path=
  spatialite=
  [ -z "$path" ] ||
    spatialite=$({ dpkg -S "$path" || dpkg -S "$(readlink -f "$path")" || dpkg -S "/usr$path"; } 2>/dev/null |
      sed -n '1s/:.*//p') || true
  [ -n "$spatialite" ] || {
    echo "dist: no package of SpatiaLite is installed, on which ours depends" >&2
    exit 1
  }
  depends="$depends, $spatialite"
  install -D -m 644 packaging/nearme.default "$stage/etc/default/nearme"
  mkdir -p "$stage/DEBIAN"
  cat >"$stage/DEBIAN/control" <<CONTROL
Package: nearme
Version: $version
Section: utils
Priority: optional
Architecture: $(dpkg --print-architecture)
Installed-Size: $(du -sk "$usr" | cut -f1)
Depends: $depends, adduser
Suggests: caddy | nginx, osmium-tool
Maintainer: The Near Me authors <near-me@localhost>
Description: location reminders that fire in the right place, and only there
 Builds a cache of places from a map, replays traces through an offline geofence
 engine, scores and tunes its policy, and runs live on a feed of fixes. As a
 service it lets the apps on a household's phones in, tells them which regions
 to watch, and sends what is to be said.
CONTROL
  echo /etc/default/nearme >"$stage/DEBIAN/conffiles"
  install -m 755 packaging/debian/postinst packaging/debian/prerm packaging/debian/postrm "$stage/DEBIAN/"
  find "$stage" -exec touch -h -d "@$epoch" {} +
  SOURCE_DATE_EPOCH=$epoch dpkg-deb --root-owner-group -Zgzip --build "$stage" \
    "$out/nearme_${version}_$(dpkg --print-architecture).deb" >/dev/null
fi
rm -rf "$stage"
ls -l "$out"/nearme*
