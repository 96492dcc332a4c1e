"""Three guests: messages from the first to the last cross the middle one, in its node or in its kernel."""

import time

import hxb
from guests import Late
from steps import ONE_LINK_SECONDS, Meanwhile, Pair, outcome

# Nodes of a 2x2 in which one is missing: a and m differ in X, m and b in Y.
NODES = {'a': (0, '0,0'), 'm': (1, '1,0'), 'b': (3, '1,1')}
OUT = 'virtio-net-pci'


class Relay(Pair):
    """A cable for each driver joins a and m; one between virtio NICs joins m and b."""

    STEPS = ('boot', 'node', 'relay by the node', 'relay by the kernel', 'pause of the relay')
    NEEDED = ('boot', 'node')
    GUESTS = ('a', 'm', 'b')

    @staticmethod
    def nics(name, models):
        return {'a': list(models), 'm': [*models, OUT], 'b': [OUT]}[name]

    @staticmethod
    def cables(models):
        return [('a', nic, 'm', nic) for nic in range(len(models))] + [('m', len(models), 'b', 0)]

    def __init__(self, lab, record):
        super().__init__(lab, record)
        self.m = lab.guests['m']

    def guests(self):
        return self.a, self.m

    def boot(self):
        self.b.wait_up()
        text = super().boot()
        self.find_nics(self.b)
        for guest, nic in (self.m, len(self.models)), (self.b, 0):
            guest.sh(f'ip link set {guest.names[nic]} up')
        return text

    def node(self):
        seconds = self.start('off', list(self.lab))
        hxb.serve(self.b)
        self.wait_good(self.links)
        return f'up after {seconds:.0f} s'

    def start(self, relay, guests):
        """Every node needs all links of the file: those that lead nowhere are dummy NICs."""
        numbers = range(len(self.links))
        dummies = {'a': ['y0'], 'b': [f'x{number}' for number in numbers], 'm': []}
        nics = {
            'a': ([self.a.names[nic] for nic in self.links], ['y0']),
            'm': ([self.m.names[nic] for nic in self.links], [self.m.names[len(self.models)]]),
            'b': (dummies['b'], [self.b.names[0]]),
        }
        text = 'name: machines\nshape: 2x2\nbackend: raw\n'
        links = {name: f'{{x: [{", ".join(x)}], y: [{", ".join(y)}]}}' for name, (x, y) in nics.items()}
        text += f'links: {links["a"]}\nnodes:\n' + ''.join(
            f'  {place}: {{links: {links[name]}}}\n' for name, (_, place) in NODES.items()
        )
        for guest in guests:
            guest.sh('; '.join(f'ip link add {name} type dummy; ip link set {name} up' for name in dummies[guest.name]))
            hxb.configure(guest, f'{text}{hxb.timers()}socket: {{kernelRelay: {relay}}}\n', NODES[guest.name][1])
        return max(self.lab.each(lambda guest: hxb.start_node(guest) if guest in guests else 0).values())

    def across(self, seconds=ONE_LINK_SECONDS, length=1400):
        return hxb.stream(self.a, NODES['b'][0], seconds, length)

    # ---- steps ----

    def relay_by_the_node(self):
        before = hxb.Metrics(self.m, 1)
        result = self.across(2 * ONE_LINK_SECONDS)
        back = hxb.ping(self.a, NODES['b'][0])
        relayed = hxb.Metrics(self.m, 1).node('forward_relayed_frames_total') - before.node(
            'forward_relayed_frames_total'
        )
        return outcome(result['ok'] and back['ok'] and relayed > 0, f'{hxb.told(result)}, {relayed:.0f} frames relayed')

    def relay_by_the_kernel(self):
        """Each link alone, so that it is known whose frames the kernel relays."""
        hxb.stop_node(self.m)
        self.start('auto', [self.m])
        self.wait_good(self.links)
        passed = []
        for nic in self.links:
            self.cable(nic, False)
        previous = None
        for nic in self.links:
            self.cable(nic, True)
            if previous is not None:
                self.cable(previous, False)
            previous = nic
            try:
                is_passed, note = self.one_relayed(nic)
            except (Late, RuntimeError) as error:
                is_passed, note = False, f'{error}'[-300:]
            self.record.link(self.models[nic], 'relay', is_passed, note)
            passed += [nic] if is_passed else []
        for nic in self.links:
            self.cable(nic, True)
        return outcome(
            len(passed) == len(self.links),
            f'{len(passed)} of {len(self.links)} links' + ('' if passed else ': ' + hxb.node_log(self.m, 3).strip()),
        )

    def one_relayed(self, nic):
        self.wait_good([nic])
        before = hxb.Metrics(self.m, 1)
        result = self.across()
        after = hxb.Metrics(self.m, 1)
        by_kernel, total = (
            after.node(f'forward_{name}relayed_frames_total') - before.node(f'forward_{name}relayed_frames_total')
            for name in ('kernel_', '')
        )
        return (
            result['ok'] and by_kernel > 0,
            f'{hxb.told(result)}, {by_kernel:.0f} frames relayed by the kernel, {total:.0f} in all',
        )

    def pause_of_the_relay(self):
        """The middle guest stands still for 5 s."""
        self.wait_good(self.links)
        work = Meanwhile(lambda: self.across(12))
        time.sleep(3)
        self.m.qmp('stop')
        time.sleep(5)
        self.m.qmp('cont')
        result = work.result()
        return outcome(result['ok'] and result['longestGapMs'] > 1000, hxb.told(result))
