#!/usr/bin/env bash
# Guess: `tc -j` prints what `tc` prints, in JSON: the same numbers, for queueing disciplines and classes alike.
# Seen: the text has a rate in bit/s ("1Gbit"), JSON has bytes/s (125000000), and the latency in microseconds, none with
#   a unit in its name. A burst of 131,072 bytes comes back as 131,000. Classes of htb come as plain text although JSON
#   was asked for, with status 0, which JSON parsers refuse.
# Met by: programs that read the shapers of a lab: rates are wrong by a factor of eight.
# Version: iproute2 6.1.0-3 (Debian 12). Needs root, for a network namespace of its own.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root" >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
(cd "$folder" && apt-get -qq -o APT::Sandbox::User=root download iproute2=6.1.0-3 && dpkg -x iproute2_*.deb .) >/dev/null
export PATH=$folder/sbin:$folder/bin:$PATH
unshare -n bash -euo pipefail >"$folder/seen" <<'INSIDE'
ip link add v0 type veth peer name v1
ip link set v0 up
tc qdisc add dev v0 root tbf rate 1gbit burst 131072 latency 50ms
tc qdisc add dev v1 root handle 1: htb default 1 r2q 1000
tc class add dev v1 parent 1: classid 1:1 htb rate 1gbit
tc qdisc show dev v0
tc -j qdisc show dev v0 | tr -d '\n'; echo
tc -j class show dev v1
INSIDE
tc -V
cat "$folder/seen"
grep -q 'rate 1Gbit burst 131000b lat 50ms' "$folder/seen"
grep -q '"rate":125000000,"burst":131000,"lat":50000' "$folder/seen"
grep -q '^class htb 1:1 root prio 0 rate 1Gbit' "$folder/seen"
