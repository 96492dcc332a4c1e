#!/usr/bin/env bash
# Guess: a file that mergecap makes of two pcapng files shows of each frame from which of them it came.
# Seen: where both files have one interface and the descriptions of these are equal (eth1 on two hosts), the merged file has one interface:
#   nothing tells the hosts apart. `-I none` keeps both, but under the same name. With a name of its own for each host there are two.
# Met by: captures of several hosts whose NICs have one name, from tcpdump, dumpcap or a program that writes if_name alone.
# Version: mergecap 4.0.17.
set -euo pipefail
command -v python3 >/dev/null && command -v mergecap >/dev/null && command -v capinfos >/dev/null \
  || { echo "no python3, mergecap or capinfos" >&2; exit 77; }
mergecap --version 2>/dev/null | head -1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 - "$folder" <<'PROGRAM'
import struct, sys

def block(kind, body):
    length = len(body) + 12
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)

def file(name, interface, time):
    text = interface.encode()
    option = struct.pack("<HH", 2, len(text)) + text + bytes(-len(text) % 4) + bytes(4)
    frame = bytes(60)
    data = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    data += block(1, struct.pack("<HHI", 1, 0, 0) + option)
    data += block(6, struct.pack("<IIIII", 0, 0, time, len(frame), len(frame)) + frame)
    open(f"{sys.argv[1]}/{name}", "wb").write(data)

file("one", "eth1", 1)
file("two", "eth1", 2)
file("other", "eth1 of host two", 2)
PROGRAM
interfaces() { # options and files of mergecap
  mergecap -w "$folder/merged" "$@" 2>/dev/null
  capinfos "$folder/merged" 2>/dev/null | sed -n 's/^Number of interfaces in file: *//p'
}
joined=$(interfaces "$folder/one" "$folder/two")
kept=$(interfaces -I none "$folder/one" "$folder/two")
named=$(interfaces "$folder/one" "$folder/other")
echo "interfaces after merging two: equal names $joined, with -I none $kept, other names $named"
[ "$joined $kept $named" = "1 2 2" ]
