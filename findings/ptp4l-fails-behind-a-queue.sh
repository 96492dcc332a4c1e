#!/usr/bin/env bash
# Guess: bulk data on the NIC of a PTP client with software time stamps makes its offsets worse.
# Seen: the port becomes FAULTY with its first delay request, and the client has no time at all: "timed out while polling for tx timestamp ...
#   it is likely caused by a driver bug". It is the queue: Linux makes the time stamp of a sent frame when the frame leaves the queue of the NIC, and
#   ptp4l waits 1 ms for it (tx_timestamp_timeout). With 200 ms it stays, with offsets of some 10 us, since the wait lies before the time stamp.
# Met by: clocks on NICs that HXB, or any bulk transfer, keeps busy; a queue of a few ms is enough.
# Version: linuxptp 3.1.1-4+b2 (Debian 12). Needs root, for network namespaces, and iperf3.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root" >&2; exit 77; }
command -v iperf3 >/dev/null && command -v tc >/dev/null || { echo "no iperf3 or no tc" >&2; exit 77; }
folder=$(mktemp -d)
client=ptp-client-$$ server=ptp-server-$$
trap 'kill $(jobs -p) 2>/dev/null || true; ip netns del "$client" 2>/dev/null; ip netns del "$server" 2>/dev/null; rm -rf "$folder"' EXIT
chmod 755 "$folder"
(cd "$folder" && apt-get -qq -o APT::Sandbox::User=root download linuxptp=3.1.1-4+b2 && dpkg -x linuxptp_*.deb .) >/dev/null
ptp4l=$folder/usr/sbin/ptp4l
echo "linuxptp $("$ptp4l" -v)"
ip netns add "$client"
ip netns add "$server"
ip link add v0 netns "$client" type veth peer name v0 netns "$server"
for space in "$client" "$server"; do
  ip -n "$space" link set v0 up
  ip netns exec "$space" tc qdisc add dev v0 root tbf rate 100mbit burst 16kb latency 100ms
done
ip -n "$client" address add 10.1.0.1/24 dev v0
ip -n "$server" address add 10.1.0.2/24 dev v0
ip netns exec "$server" iperf3 -s >/dev/null 2>&1 &
conf() { # name, ms to wait for a time stamp
  printf '[global]\nnetwork_transport L2\ntime_stamping software\nfree_running 1\nlogSyncInterval -2\nlogMinDelayReqInterval -2\n'
  printf 'summary_interval -4\ntx_timestamp_timeout %s\nuds_address %s/%s.socket\n' "$2" "$folder" "$1"
}
client() { # ms to wait, name of its output, 'bulk' or nothing
  conf "$2" "$1" >"$folder/$2.conf"
  [ -z "${3:-}" ] || ip netns exec "$client" iperf3 -c 10.1.0.2 -t 25 >/dev/null 2>&1 &
  sleep 2
  timeout 20 ip netns exec "$client" "$ptp4l" -f "$folder/$2.conf" -i v0 -s -m >"$folder/$2" 2>&1 || true
  wait $! || true
  echo "$2: $(grep -c 'master offset' "$folder/$2" || true) offsets, $(grep -c 'timed out' "$folder/$2" || true) times FAULTY by a time-out"
}
conf server 200 >"$folder/server.conf"
ip netns exec "$server" "$ptp4l" -f "$folder/server.conf" -i v0 --priority1 100 >/dev/null 2>&1 &
client 1 quiet
client 1 bulk bulk
client 200 patient bulk
grep -m1 'timed out' "$folder/bulk"
grep -m1 'driver bug' "$folder/bulk"
! grep -q 'to FAULTY' "$folder/quiet"
grep -q 'master offset' "$folder/quiet"
grep -q 'to FAULTY' "$folder/bulk"
! grep -q 'timed out' "$folder/patient"
grep -q 'master offset' "$folder/patient"
