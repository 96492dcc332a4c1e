"""What the steps do with HXB in a guest: nodes, checked messages, counters."""

import json
import re
import time

from guests import Late

HXB = '/opt/hxb/deploy/hxb'
PROBE = '/lab/probe'
CONFIG = '/etc/hxb/cluster.yaml'
# Only the first compiler: the code that the second makes is not worth its time on an emulated CPU.
JAVA = (
    'export LC_ALL=C.UTF-8 HXB_JAVA_OPTIONS="-XX:TieredStopAtLevel=1'
    ' -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0"'
)
# Timers for CPUs that are emulated.
TIMERS = """flow: {{minRetransmit: {p}00ms, maxRetransmit: {p}s, peerTimeout: {p}0s, routeSilence: {p}s, routeRetry: 2s,
  partitionTimeout: {p}0s, ackDelay: 20ms}}
trunk: {{heartbeat: 500ms, silence: {p}s, holdDown: 100ms, maxHoldDown: 5s}}
frame: {{helloInterval: {h}s}}
loop: {{wait: block}}
pool: {{buffers: 2048}}
"""


class Patience:
    """How much longer everything takes than on two CPUs that nobody else uses; set once, at the start."""

    factor = 1


def timers():
    return TIMERS.format(p=4 * Patience.factor, h=Patience.factor)


def wait_for(what, condition, seconds, pause=1.0):
    """Calls condition() until it returns something true, and returns that; raises Late with the last value."""
    seconds *= Patience.factor
    end, value = time.monotonic() + seconds, None
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(pause)
    raise Late(f'{what} not within {seconds} s')


def configure(guest, text, node):
    guest.sh(f"mkdir -p /etc/hxb; cat >{CONFIG} <<'END'\n{text}END\necho HXB_NODE={node} >/etc/hxb/node.env")


def start_node(guest, seconds=600):
    """Starts the node and waits until it says that it is up; returns the seconds."""
    start = time.monotonic()
    guest.sh(
        f'{JAVA}; set -a; . /etc/hxb/node.env; setsid {HXB} node --config {CONFIG} >/root/node.log 2>&1 & '
        'echo $! >/root/node.pid'
    )

    def is_up():
        log = guest.sh('cat /root/node.log; kill -0 $(cat /root/node.pid) 2>/dev/null || echo the node has ended')
        if 'the node has ended' in log:
            raise RuntimeError(f'{guest.name}: {log[-1500:]}')
        return ' is up: ' in log

    wait_for(f'{guest.name}: the node is up', is_up, seconds, 2)
    return time.monotonic() - start


def stop_node(guest, seconds=120):
    guest.sh('kill $(cat /root/node.pid)')
    wait_for(f'{guest.name}: the node has ended', lambda: guest.run('kill -0 $(cat /root/node.pid)')[0] != 0, seconds)


def node_log(guest, lines=15, port=1):
    return guest.sh(f'grep -v audit /root/node.log | cut -c1-300 | tail -{lines}', port=port)


def serve(guest):
    """Starts what answers messages, and waits until it is attached."""
    guest.sh(f'pkill probe; setsid {PROBE} serve >/root/serve.log 2>&1 &')
    wait_for(f'{guest.name}: the probe is attached', lambda: 'serving' in guest.sh('cat /root/serve.log'), 60)


def probe(guest, to, what, seconds, port=0):
    """Runs the probe; its last line as an object, with the events before it."""
    seconds = int(seconds * Patience.factor)
    status, text = guest.run(f'timeout {seconds} {PROBE} {to} {what}', seconds + 60, port)
    lines = text.strip().splitlines()
    try:
        result = json.loads(lines[-1])
    except (ValueError, IndexError):
        return {'ok': False, 'error': f'status {status}: {text[-300:]}'}
    if len(lines) > 1:
        result['events'] = lines[:-1][-4:]
    return result


def ping(guest, to, count=5, interval_ms=50, port=0):
    return probe(guest, to, f'ping {count} {interval_ms}', 60 + count * (interval_ms / 1000 + 2), port)


def stream(guest, to, seconds, length, port=0):
    return probe(guest, to, f'send {seconds} {length}', seconds + 150, port)


def told(result):
    """A result of the probe in a few words."""
    if 'error' in result:
        return result['error']
    words = (
        f"{result['good']} of {result['sent']} messages intact"
        if 'good' in result
        else f"{result['answered']} of {result['sent']} round trips"
    )
    return words + (': ' + '; '.join(result['events']) if 'events' in result and not result['ok'] else '')


# Guests have no program that speaks HTTP, and need none.
READ_METRICS = (
    'exec 5<>/dev/tcp/127.0.0.1/9109 && '
    'printf "GET /metrics HTTP/1.0\\r\\nHost: 127.0.0.1:9109\\r\\nConnection: close\\r\\n\\r\\n" >&5 && '
    'timeout 60 grep -aE "^hxb_(link|forward)_" <&5'
)


class Metrics:
    """Metrics of one node at one moment, as the node itself serves them."""

    def __init__(self, guest, node, port=1):
        self.values = wait_for(f'{guest.name}: metrics', lambda: self.read(guest, node, port), 60)

    @staticmethod
    def read(guest, node, port):
        values = {}
        for line in guest.sh(READ_METRICS, 90, port).splitlines():
            match = re.fullmatch(r'(hxb_\w+)\{(.*)\} (\S+)', line.strip())
            if match and f'node="{node}"' in match[2]:
                link = re.search(r'\blink="([^"]*)"', match[2])
                state = re.search(r'\bstate="([^"]*)"', match[2])
                values[match[1], link[1] if link else '', state[1] if state else ''] = float(match[3])
        return values

    def link(self, name, link):
        """A metric of a link such as "sent_frames_total"."""
        return self.values.get((f'hxb_link_{name}', link, ''), 0)

    def is_good(self, link):
        return self.values.get(('hxb_link_state', link, 'good'), 0) == 1

    def node(self, name):
        return self.values.get((f'hxb_{name}', '', ''), 0)
