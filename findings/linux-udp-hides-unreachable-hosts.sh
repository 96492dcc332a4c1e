#!/usr/bin/env bash
# Guess: a connected UDP socket learns by ICMP that the host cannot be reached, as it learns that the port is closed.
# Seen: a closed port ends recv with ECONNREFUSED. "Host unreachable" does not end it: the program waits until its own time-out. Only with
#   IP_RECVERR does recv fail with EHOSTUNREACH. A TCP connection to the same host fails at once. To Linux the message is a soft error
#   (RFC 1122, 4.1.3.3 and 4.2.3.9; linux/net/ipv4/icmp.c, icmp_err_convert, "fatal" is 0).
#   A second TCP connection soon after some datagrams needs seconds to fail: a Linux router sends one peer six such messages at once and
#   then one a second (icmp_ratelimit), so that the first SYNs go without an answer.
# Met by: programs over UDP (DNS, NFS, QUIC, games) whose peer is behind a gateway or a virtual NIC that answers for nodes that are gone.
# Version: Linux 6.18.44.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "network namespaces need root" >&2; exit 77; }
command -v python3 >/dev/null && command -v ip >/dev/null || { echo "no python3 or no ip" >&2; exit 77; }
echo "Linux $(uname -r)"
client=udp-client-$$ router=udp-router-$$
trap 'ip netns del "$client" 2>/dev/null; ip netns del "$router" 2>/dev/null' EXIT
ip netns add "$client"
ip netns add "$router"
ip link add v0 netns "$client" type veth peer name v0 netns "$router"
for space in "$client" "$router"; do
  ip -n "$space" link set lo up
  ip -n "$space" link set v0 up
done
ip -n "$client" address add 10.1.0.1/24 dev v0
ip -n "$router" address add 10.1.0.2/24 dev v0
ip -n "$client" route add 10.9.0.0/24 via 10.1.0.2
ip netns exec "$router" sysctl -qw net.ipv4.ip_forward=1
ip -n "$router" route add unreachable 10.9.0.0/24
ip netns exec "$client" python3 - <<'PROGRAM'
import errno, socket, time

IP_RECVERR = 11
CLOSED, GONE = ("10.1.0.2", 9), ("10.9.0.1", 9)

def tcp():
    """What connect to the host that is gone raises, and after how many seconds."""
    with socket.socket() as connection:
        connection.settimeout(30)
        start = time.monotonic()
        try:
            connection.connect(GONE)
        except OSError as e:
            return errno.errorcode.get(e.errno, str(e)), time.monotonic() - start

def udp(address, wants_errors):
    """What recv raises after some datagrams to an address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.setsockopt(socket.IPPROTO_IP, IP_RECVERR, wants_errors)
        connection.settimeout(2)
        connection.connect(address)
        try:
            for _ in range(3):
                connection.send(b"x")
                time.sleep(0.1)
            connection.recv(10)
        except TimeoutError:
            return "a time-out"
        except OSError as e:
            return errno.errorcode.get(e.errno, str(e))

first, firstSeconds = tcp()
closed, gone, told = udp(CLOSED, 0), udp(GONE, 0), udp(GONE, 1)
second, secondSeconds = tcp()
print(f"TCP, host gone: {first} after {firstSeconds:.1f} s, after datagrams {second} after {secondSeconds:.1f} s")
print(f"UDP, port closed: {closed}; host gone: {gone}; host gone, IP_RECVERR: {told}")
isSeen = (first, closed, gone, told, second) == ("EHOSTUNREACH", "ECONNREFUSED", "a time-out", "EHOSTUNREACH", "EHOSTUNREACH")
raise SystemExit(0 if isSeen and firstSeconds < 0.5 < secondSeconds else 1)
PROGRAM
