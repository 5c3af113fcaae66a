#!/bin/sh
# What `make bundle` does once .venv is there: the program with its Python in one folder, then, in dist/, a .tar.xz of it
# and, where dpkg-deb is, a .deb. Wheel and sdist lie beside them.
set -eu
cd "$(dirname "$0")/../.."
bin=.venv/bin
here=packaging/bundle
out=build/bundle
version=$($bin/python -c 'from importlib.metadata import version; print(version("gpu-twin"))')
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH

say() { echo "bundle: $*" >&2; }

rm -rf "$out"
say "the program and its Python"
$bin/pyinstaller --noconfirm --log-level ERROR --distpath "$out" --workpath build/pyinstaller "$here/gpu-twin.spec"
[ "$(uname -s)" = Linux ] || { say "the folder is $out; packaging/README.md says how it becomes an installer here"; exit 0; }

mkdir -p dist
machine=$(uname -m)

# What desktops want to know of a program, in the places of its prefix ($1).
put_desktop_files() {
    share=$1/share
    mkdir -p "$share/applications" "$share/mime/packages" "$share/icons/hicolor/scalable/apps"
    cp "$here/gpu-twin.desktop" "$share/applications/gpu-twin.desktop"
    cp "$here/gpu-twin.xml" "$share/mime/packages/gpu-twin.xml"
    cp "$here/gpu-twin.svg" "$share/icons/hicolor/scalable/apps/gpu-twin.svg"
    mkdir -p "$share/bash-completion/completions" "$share/doc/gpu-twin"
    "$out/gpu-twin/twin" completion bash >"$share/bash-completion/completions/twin"
    gzip -9nc CHANGELOG.md >"$share/doc/gpu-twin/changelog.gz"
}

# The folder as anybody can unpack it: bin, lib, share, to be used where it is or copied to /usr/local or ~/.local.
say "dist/gpu-twin-$version-linux-$machine.tar.xz"
plain=build/gpu-twin-$version
rm -rf "$plain"
mkdir -p "$plain/bin" "$plain/lib"
cp -a "$out/gpu-twin" "$plain/lib/gpu-twin"
ln -s ../lib/gpu-twin/twin "$plain/bin/twin"
put_desktop_files "$plain"
cp "$here/INSTALL.md" LICENSE "$plain/"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C build -c "gpu-twin-$version" |
    xz -T0 -6 >"dist/gpu-twin-$version-linux-$machine.tar.xz"

if command -v dpkg-deb >/dev/null 2>&1; then
    arch=$(dpkg --print-architecture)
    say "dist/gpu-twin_${version}_$arch.deb"
    tree=build/deb
    rm -rf "$tree"
    mkdir -p "$tree/usr/bin" "$tree/usr/lib" "$tree/DEBIAN"
    cp -a "$out/gpu-twin" "$tree/usr/lib/gpu-twin"
    ln -s ../lib/gpu-twin/twin "$tree/usr/bin/twin"
    put_desktop_files "$tree/usr"
    cp "$out/gpu-twin/_internal/licences/README.md" "$tree/usr/share/doc/gpu-twin/copyright"
    printf '\nThe texts are in /usr/lib/gpu-twin/_internal/licences and LICENSE beside it.\n' \
        >>"$tree/usr/share/doc/gpu-twin/copyright"
    # Screens of their own are for pictures where there is none: not needed where somebody sits before one.
    needs=$(grep -vx -e xvfb -e xauth packaging/debian-packages.txt | paste -s -d ,)
    cat >"$tree/DEBIAN/control" <<END
Package: gpu-twin
Version: $version
Architecture: $arch
Maintainer: The gpu-twin project <gpu-twin@example.invalid>
Section: science
Priority: optional
Installed-Size: $(du -sk "$tree/usr" | cut -f1)
Depends: libc6 (>= $(ldd --version | sed -n '1s/.* //p')), libstdc++6, libgcc-s1, $needs
Recommends: xvfb, xauth, shared-mime-info, desktop-file-utils
Description: digital twin of a GPU data centre
 Racks, GPUs, links and coolant in 3D; underneath, training jobs, failures,
 checkpoints, power and heat on one clock. Build a hall, break it, replay it.
END
    find "$tree" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0r touch --no-dereference --date="@$SOURCE_DATE_EPOCH"
    dpkg-deb --root-owner-group -Zxz -z6 --build "$tree" "dist/gpu-twin_${version}_$arch.deb" >/dev/null
fi
say "wheel and sdist"
$bin/hatchling build -d dist >/dev/null
ls -l dist
