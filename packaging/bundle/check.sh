#!/bin/sh
# Installs the .deb of dist/ in a Debian 12 without Python, uses it there as a person does, and removes it.
# Needs root, debootstrap and Debian's packages: sh packaging/bundle/check.sh [FOLDER for pictures]
set -eu
cd "$(dirname "$0")/../.."
deb=$(ls -t dist/gpu-twin_*.deb | head -1)
pictures=${1:-out/bundle}
root=$(mktemp -d /tmp/twin-bundle.XXXXXX)
mkdir -p "$pictures"

clean_up() {
    umount "$root/dev/shm" "$root/dev" "$root/proc" 2>/dev/null || true
    mountpoint -q "$root/proc" || mountpoint -q "$root/dev" || rm -rf "$root"
}
trap clean_up EXIT
inside() { chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/bin:/bin:/usr/sbin:/sbin "$@"; }
say() { echo "== $*"; }

say "a clean Debian 12"
debootstrap --variant=minbase bookworm "$root" >"$pictures/debootstrap.log" 2>&1
cp /etc/resolv.conf "$root/etc/"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
if inside sh -c 'command -v python3'; then echo "there is a Python in it"; exit 1; fi
cp "$deb" "$root/tmp/gpu-twin.deb"
inside apt-get update -qq
inside env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    xvfb xauth shared-mime-info desktop-file-utils xdg-utils libglib2.0-bin >/dev/null 2>&1
inside find / -xdev '(' -path /proc -o -path /dev -o -path /tmp -o -path /var ')' -prune -o -type f -print |
    sort >"$pictures/files-before.txt"

say "install $deb"
inside env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /tmp/gpu-twin.deb >/dev/null 2>&1
inside du -sh /usr/lib/gpu-twin

say "use it"
inside sh -euc 'cd /tmp
twin --version
twin run lab-16 --out /tmp/lab.twinrun --json >/tmp/lab.json
twin compare lab-16 superpod-h100 --seeds 2 >/tmp/compare.txt
twin shot /tmp/lab.twinrun --at "10 h" -o /tmp/shot.png
grep -q events_hash /tmp/lab.json || grep -q hash /tmp/lab.json'
cp "$root/tmp/shot.png" "$pictures/shot.png"

say "the window: seconds to its first picture, three times"
inside sh -euc 'Xvfb :77 -screen 0 1280x800x24 -fbdir /tmp -nolisten tcp >/dev/null 2>&1 & echo $! >/tmp/xvfb; sleep 2
for number in 1 2 3; do
    DISPLAY=:77 twin -m twin.cli.bench.first_picture llama3-16k "$(cut -d" " -f1 /proc/uptime)"
done
DISPLAY=:77 twin open /tmp/lab.twinrun & sleep 12; cp /tmp/Xvfb_screen0 /tmp/window.xwd; kill $!; wait $! || true; kill "$(cat /tmp/xvfb)"'
cp "$root/tmp/window.xwd" "$pictures/window.xwd"

say "files belong to it"
inside sh -euc 'cp /usr/lib/gpu-twin/_internal/twin/scenes/lab-16.twin.yaml /tmp/own.twin.yaml
export XDG_CURRENT_DESKTOP=GNOME
for file in own.twin.yaml lab.twinrun; do
    type=$(xdg-mime query filetype "/tmp/$file")
    program=$(xdg-mime query default "$type")
    echo "$file: $type, opened by $program"
    [ "$program" = gpu-twin.desktop ]
done
desktop-file-validate /usr/share/applications/gpu-twin.desktop'

say "remove it"
inside apt-get purge -y -qq gpu-twin >/dev/null 2>&1
inside find / -xdev '(' -path /proc -o -path /dev -o -path /tmp -o -path /var -o -path /root ')' -prune -o -type f -print |
    sort >"$pictures/files-after.txt"
# What the packages it needs brought stays; of itself nothing may.
if comm -13 "$pictures/files-before.txt" "$pictures/files-after.txt" | grep -i -e gpu-twin -e x-twin; then
    echo "it leaves files behind"
    exit 1
fi
say "nothing of it is left; pictures are in $pictures"
