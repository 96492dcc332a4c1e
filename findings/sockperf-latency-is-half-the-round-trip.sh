#!/usr/bin/env bash
# Guess: the latency that `sockperf ping-pong` reports, and its percentiles, are round trips, since that is what it
#   measures (as ping, netperf's TCP_RR and hxb ping report them).
# Seen: half of the round trip, without a word about it in the summary; `--full-rtt` doubles every figure.
# Met by: users who put figures of sockperf beside those of another program: wrong by a factor of two.
# Version: sockperf 3.7-1 (Debian 12). Needs root, for a network namespace of its own.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root" >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && apt-get -qq -o APT::Sandbox::User=root download sockperf=3.7-1 && dpkg -x sockperf_*.deb .) >/dev/null
export sockperf=$folder/usr/bin/sockperf
unshare -n bash -euo pipefail >"$folder/seen" <<'INSIDE'
ip link set lo up
timeout 30 "$sockperf" server --tcp -i 127.0.0.1 -p 21111 >/dev/null 2>&1 &
server=$!
sleep 1
for option in '' --full-rtt ''; do
  "$sockperf" ping-pong --tcp -i 127.0.0.1 -p 21111 -t 2 -m 64 $option 2>&1 |
    sed -n 's/.*\(<MIN> observation\) *= *\([0-9.]*\).*/\2/p'
done
kill "$server"
INSIDE
"$sockperf" --version 2>&1 | head -n 1
mapfile -t us <"$folder/seen"
echo "minimum, us: ${us[0]}, with --full-rtt ${us[1]}, without again ${us[2]}"
# The minimum, because other programs disturb all other figures.
awk -v half=$(printf '%s\n' "${us[0]}" "${us[2]}" | sort -g | head -n 1) -v full="${us[1]}" \
  'BEGIN { exit !(full / half > 1.5 && full / half < 3) }'
