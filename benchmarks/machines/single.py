"""One guest: the demonstration over NICs in namespaces and over UDP, and the tests of libhxb."""

import json

import hxb
from steps import Pair, outcome

# Each checks itself, and needs a node and nothing else: see pm-api/src/test/c.
SCENARIOS = (
    'misuse',
    'order',
    'events',
    'polling',
    'interrupted',
    'threads',
    'forks',
    'cancelled',
    'large',
    'slow',
    'waits-ended',
    'waits-signalled',
    'detached-amid',
    'whole-api',
    'rpc-use',
    'direct',
    'remote-use',
    'group-use',
)


class Single(Pair):
    """A guest without NICs."""

    STEPS = ('boot', 'demo over NICs', 'demo over UDP', 'libhxb')
    NEEDED = ('boot',)
    GUESTS = ('a',)
    MEMORY = 2048

    @staticmethod
    def nics(_name, _models):
        return []

    @staticmethod
    def cables(_models):
        return []

    def __init__(self, lab, record):
        self.lab, self.record = lab, record
        self.a = lab.guests['a']

    def guests(self):
        return (self.a,)

    def boot(self):
        return f'after {self.a.wait_up():.0f} s'

    def demo_over_nics(self):
        return self.demo('raw')

    def demo_over_udp(self):
        return self.demo('udp')

    def demo(self, backend):
        """Files between all pairs of eight nodes."""
        status, text = self.a.run(
            f'{hxb.JAVA}; timeout 900 {hxb.HXB} demo --backend {backend} --block --file-size 65536 --json 2>/root/demo.log; '
            'status=$?; tail -c 600 /root/demo.log; exit $status',
            960,
        )
        found = next((json.loads(line) for line in text.splitlines() if '"files_intact"' in line), None)
        return outcome(
            status == 0,
            f'{found["files_intact"]} of {found["files"]} files intact, {found["lost"]} messages lost' if found else text[-600:],
        )

    def libhxb(self):
        """The tests of libhxb that need a node and no other program."""
        hxb.configure(
            self.a,
            'name: machines\nshape: 2\nbackend: udp\nlinks: 1\nnodes:\n'
            '  0: {links: ["127.0.0.1:20000"]}\n  1: {links: ["127.0.0.1:20001"]}\n' + hxb.timers(),
            0,
        )
        hxb.start_node(self.a)
        socket = self.a.sh('find /run /tmp -name "machines*.sock" -not -name "*.observe.sock" | head -1').strip()
        wrong = []
        for scenario in SCENARIOS:
            status, text = self.a.run(f'timeout 120 /lab/scenario {scenario} {socket}', 150)
            if status:
                wrong.append(f'{scenario}: status {status} {text.strip()[-200:]}')
        return outcome(
            not wrong, f'{len(SCENARIOS) - len(wrong)} of {len(SCENARIOS)} tests passed' + ''.join(f'; {w}' for w in wrong)
        )
