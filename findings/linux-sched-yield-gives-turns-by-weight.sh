#!/usr/bin/env bash
# Guess: sched_yield lets the other thread of the CPU run once, so that two threads that only yield take turns.
# Seen: they take turns by weight. A thread beside one whose nice value is 10 lower gets the CPU back only after that one has
#   yielded 9 times (weights 1024 and 110, or 9548 and 1024 for 0 and -10): a yield gives up a slice of virtual time, which costs
#   the heavier thread a ninth. Between sessions, where autogroups are on (kernel.sched_autogroup_enabled), the weights are
#   those of the sessions instead, and the turns longer. Older kernels have not been tried.
# Met by: programs that wait by yielding beside a service of a lower nice value, as MPI programs do (mpi_yield_when_idle, libfabric
#   providers): on a CPU that both share, a message costs several turns of the service. Sleeping hands over at once; a shorter
#   slice (sched_setattr with sched_runtime, Linux 6.12) makes one's own yields cheaper within a session.
# Version: Linux 6.18.44.
set -euo pipefail
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
release=$(uname -r)
IFS=.- read -r major minor _ <<<"$release"
((major > 6 || (major == 6 && minor >= 18))) || { echo "Linux $release is older than 6.18" >&2; exit 77; }
echo "Linux $release"
python3 - <<'PROGRAM'
import mmap, os, time

def turns(nice):
    """How often a thread of nice value 0 and one of another come to run on one CPU, if both only yield."""
    counts = mmap.mmap(-1, 16)
    end = time.monotonic() + 2
    children = []
    for index, value in enumerate((0, nice)):
        child = os.fork()
        if child == 0:
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
            os.nice(value)
            count = 0
            while time.monotonic() < end:
                count += 1
                os.sched_yield()
            counts[8 * index:8 * index + 8] = count.to_bytes(8, "little")
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    return [int.from_bytes(counts[at:at + 8], "little") for at in (0, 8)]

equal, other = turns(0), turns(10)
print(f"nice 0 and 0: {equal[0]} and {equal[1]} turns, {equal[0] / equal[1]:.1f} to 1")
print(f"nice 0 and 10: {other[0]} and {other[1]} turns, {other[0] / other[1]:.1f} to 1")
raise SystemExit(0 if 0.6 < equal[0] / equal[1] < 1.7 and 6 < other[0] / other[1] < 13 else 1)
PROGRAM
