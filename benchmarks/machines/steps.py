"""The steps: what is done with guests, and what is recorded of it."""

import re
import threading
import time

import hxb
from guests import EXPRESS, Late

PASSED, FAILED, NOT_TRIED = 'passed', 'failed', 'not tried'
# NICs in the order of links: the model of QEMU, the driver of Linux that is expected.
DRIVERS = {
    'e1000': 'e1000',
    'e1000e': 'e1000e',
    'igb': 'igb',
    'rtl8139': '8139cp',
    'vmxnet3': 'vmxnet3',
    'virtio-net-pci': 'virtio_net',
    'pcnet': 'pcnet32',
    'usb-net': 'cdc_ether',
    'ne2k_pci': 'ne2k-pci',
}
ONE_LINK_SECONDS = 2
# Of a trunk.
MAX_LINKS = 8


def outcome(is_passed, note=''):
    return {'outcome': PASSED if is_passed else FAILED, 'note': note}


class Record:
    """What a run has found so far: outcomes of steps, and of each link by its NIC."""

    def __init__(self, say):
        self.say = say
        self.steps = {}
        self.links = {}

    def step(self, name, action):
        """Runs a step; whatever it raises is recorded as its failure. Returns whether it passed."""
        start = time.monotonic()
        try:
            found = action()
            result = found if isinstance(found, dict) else outcome(True, found or '')
        except (Late, OSError, RuntimeError, KeyError, ValueError) as error:
            result = outcome(False, f'{type(error).__name__}: {error}'[-1200:])
        result['seconds'] = round(time.monotonic() - start)
        self.steps[name] = result
        self.say(f'{result["outcome"]:9} {name}, {result["seconds"]} s: {result["note"]}')
        return result['outcome'] == PASSED

    def skip(self, name, why):
        self.steps[name] = {'outcome': NOT_TRIED, 'note': why, 'seconds': 0}

    def link(self, model, column, is_passed, note=''):
        if is_passed is None and column in self.links.get(model, {}):
            return  # another lab has tried it
        self.links.setdefault(model, {})[column] = (
            outcome(is_passed, note) if is_passed is not None else {'outcome': NOT_TRIED, 'note': note}
        )
        self.say(f'    {model}: {column}: {self.links[model][column]["outcome"]} {note}')


class Meanwhile:
    """Runs something in another thread; result() waits for it."""

    def __init__(self, action):
        self.found = self.error = None
        self.thread = threading.Thread(target=self.work, args=(action,))
        self.thread.start()

    def work(self, action):
        try:
            self.found = action()
        except Exception as error:  # told by result()
            self.error = error

    def result(self):
        self.thread.join()
        if self.error:
            raise self.error
        return self.found


class Pair:
    """Two guests with a cable for each of their NICs, all of different drivers."""

    STEPS = ('boot', 'init', 'node', 'frames', 'alone', 'plug', 'clock', 'pause', 'reboot', 'vlan')
    NEEDED = ('boot', 'node')
    GUESTS = ('a', 'b')
    SYSTEMD = False
    # In MB, at least.
    MEMORY = 0

    @staticmethod
    def nics(_name, models):
        return models

    @staticmethod
    def cables(models):
        return [('a', nic, 'b', nic) for nic in range(len(models))]

    def __init__(self, lab, record):
        self.lab, self.record = lab, record
        self.a, self.b = lab.guests['a'], lab.guests['b']
        self.models = self.a.models
        self.links = []

    def guests(self):
        return self.a, self.b

    # ---- steps, in their order ----

    def boot(self):
        seconds = max(guest.wait_up() for guest in self.guests())
        for guest in self.guests():
            self.find_nics(guest)
        known = [nic for nic in range(len(self.models)) if all(guest.names[nic] for guest in self.guests())]
        self.links = known[:MAX_LINKS]
        for nic, model in enumerate(self.models):
            if nic not in self.links:
                self.record.link(
                    model,
                    'frames',
                    None,
                    'a trunk has eight links at most' if nic in known else 'the kernel has no driver for it',
                )
        for guest in self.guests():
            guest.sh('; '.join(f'ip link set {guest.names[nic]} up' for nic in self.links))
        self.describe()
        return f'{len(known)} of {len(self.models)} NICs found after {seconds:.0f} s'

    @staticmethod
    def find_nics(guest, seconds=40):
        """Names of the guest's NICs; those that do not come within this time have no driver."""
        end = time.monotonic() + seconds
        guest.names = guest.find_names()
        while None in guest.names and time.monotonic() < end:
            time.sleep(3)
            guest.names = guest.find_names()

    def describe(self):
        for nic in self.links:
            name = self.a.names[nic]
            text = self.a.sh(
                f'basename $(readlink /sys/class/net/{name}/device/driver); '
                f'ip -d link show {name} | grep -o "maxmtu [0-9]*" | cut -d" " -f2; '
                f'ethtool -k {name} | grep -E "^(tcp-segmentation-offload|generic-receive-offload|'
                f'large-receive-offload|rx-gro-hw):"'
            ).splitlines()
            facts = self.record.links.setdefault(self.models[nic], {})
            facts['driver'] = text[0]
            facts['maxMtu'] = int(text[1])
            facts['features'] = [line.split(':')[0] for line in text[2:] if ': on' in line]

    def init(self):
        """The command that users begin with finds the cabling on both machines."""
        nics = {guest.name: ','.join(guest.names[nic] for nic in self.links) for guest in self.guests()}
        self.lab.each(
            lambda guest: guest.sh(
                f'{hxb.JAVA}; rm -f cluster.yaml; timeout 500 {hxb.HXB} init --seconds 120 --expect 2 '
                f'--nics {nics[guest.name]} >init.log 2>&1',
                560,
            )
        )
        text = {guest.name: guest.sh('cat cluster.yaml') for guest in self.guests()}
        if 'links:' not in text['a']:
            return outcome(False, self.a.sh('tail -5 init.log'))
        found = sum(name in text['a'] for name in (self.a.names[nic] for nic in self.links))
        same = text['a'] == text['b']
        return outcome(
            same and found == len(self.links),
            f'{found} of {len(self.links)} links in the file, {"the same" if same else "not the same"} on both',
        )

    def node(self):
        def names(guest):
            return ', '.join(guest.names[nic] for nic in self.links)

        text = (
            f'name: machines\nshape: 2\nbackend: raw\nlinks: {{x: [{names(self.a)}]}}\nnodes:\n'
            + ''.join(f'  {number}: {{links: {{x: [{names(guest)}]}}}}\n' for number, guest in enumerate(self.guests()))
            + hxb.timers()
        )
        for number, guest in enumerate(self.guests()):
            hxb.configure(guest, text, number)
        seconds = self.lab.each(hxb.start_node)
        hxb.serve(self.b)
        self.wait_good(self.links)
        return f'up after {max(seconds.values()):.0f} s'

    def frames(self):
        """All links at once."""
        before = hxb.Metrics(self.a, 0)
        result = hxb.stream(self.a, 1, 2 * ONE_LINK_SECONDS, 1400)
        after = hxb.Metrics(self.a, 0)
        used = sum(
            after.link('sent_frames_total', self.name(nic)) > before.link('sent_frames_total', self.name(nic)) + 3
            for nic in self.links
        )
        return outcome(
            result['ok'] and used == len(self.links), f'{hxb.told(result)}, by {used} of {len(self.links)} links'
        )

    def alone(self):
        """Each link alone, the others' cables out: frames, carrier, long frames, MTU."""
        for nic in self.links:
            self.cable(nic, False)
        time.sleep(3)
        cut = {guest.name: self.carriers(guest) for guest in self.guests()}
        previous = None
        for nic in self.links:
            self.cable(nic, True)
            if previous is not None:
                self.cable(previous, False)
            previous = nic
            try:
                self.one(nic, {name: values[nic] for name, values in cut.items()})
            except (Late, RuntimeError) as error:
                self.record.link(self.models[nic], 'frames', False, f'{error}'[-300:])
                self.record.say(hxb.node_log(self.a))
        for nic in self.links:
            self.cable(nic, True)
        self.wait_good(self.links)
        wrong = [
            self.models[nic]
            for nic in self.links
            if self.record.links[self.models[nic]].get('frames', {}).get('outcome') != PASSED
        ]
        return outcome(
            not wrong,
            f'{len(self.links) - len(wrong)} of {len(self.links)} links'
            + (f', not {", ".join(wrong)}' if wrong else ''),
        )

    def one(self, nic, carriers):
        model = self.models[nic]
        keeps = any(value == '1' for value in carriers.values())
        start = time.monotonic()
        self.wait_good([nic])
        self.record.link(
            model,
            'carrier',
            True,
            ('keeps its carrier without a cable' if keeps else 'loses its carrier without a cable')
            + f'; good again {time.monotonic() - start:.0f} s after the cable was in',
        )
        before = hxb.Metrics(self.b, 1)
        pings, result = hxb.ping(self.a, 1), hxb.stream(self.a, 1, ONE_LINK_SECONDS, 1400)
        after = hxb.Metrics(self.b, 1)
        arrived = after.link('received_frames_total', self.name(nic)) - before.link(
            'received_frames_total', self.name(nic)
        )
        self.record.link(
            model,
            'frames',
            pings['ok'] and result['ok'] and arrived > 0,
            f'{hxb.told(pings)}, {hxb.told(result)}, {arrived:.0f} frames',
        )
        self.trains(nic)
        self.mtu(nic)

    def trains(self, nic):
        """Messages far longer than the MTU: who cuts them and who joins them."""
        model, link = self.models[nic], self.name(nic)
        before_a, before_b = hxb.Metrics(self.a, 0), hxb.Metrics(self.b, 1)
        result = hxb.stream(self.a, 1, ONE_LINK_SECONDS, 60000)
        after_a, after_b = hxb.Metrics(self.a, 0), hxb.Metrics(self.b, 1)

        def grown(after, before, name):
            return after.link(name, link) - before.link(name, link)

        sent = grown(after_a, before_a, 'sent_long_frames_total')
        frames = grown(after_b, before_b, 'received_long_frames_total')
        pieces = grown(after_b, before_b, 'received_long_pieces_total')
        features = self.record.links[model]['features']
        if sent and frames:
            cut = 'NIC' if 'tcp-segmentation-offload' in features else 'kernel'
            whole = 'large-receive-offload' in features or 'rx-gro-hw' in features
            ratio = pieces / frames
            joined = ('NIC or kernel' if whole else 'kernel') if ratio < 20 else 'node'
            note = f'cut by the {cut}, joined by the {joined} ({ratio:.1f} pieces a frame)'
        else:
            note = 'cut and joined by the node'
        self.record.link(model, 'trains', result['ok'], f'{note}, {hxb.told(result)}')

    def mtu(self, nic):
        """Another MTU while the node runs: 9000 where the driver has it, and 1200."""
        model, most = self.models[nic], self.record.links[self.models[nic]]['maxMtu']
        if most >= 9000 or most == 0:
            note = self.with_mtu(nic, 9000, 8000)
            self.record.link(model, 'jumbo', note[0], note[1])
        else:
            self.record.link(model, 'jumbo', None, f'the driver has an MTU of {most} at most')
        note = self.with_mtu(nic, 1200, 1400)
        self.record.link(model, 'mtu', note[0], note[1])
        for guest in self.guests():
            guest.sh(f'ip link set {guest.names[nic]} mtu 1500')
        self.wait_good([nic])

    def with_mtu(self, nic, mtu, length):
        for guest in self.guests():
            status, text = guest.run(f'ip link set {guest.names[nic]} mtu {mtu}')
            if status:
                return False, f'ip link set mtu {mtu}: {text.strip()}'
        link = self.name(nic)
        nodes = list(enumerate(self.guests()))
        try:
            hxb.wait_for(
                f'MTU {mtu} is used',
                lambda: all(
                    hxb.Metrics(guest, number).link('mtu_bytes', link) == mtu
                    and hxb.Metrics(guest, number).is_good(link)
                    for number, guest in nodes
                ),
                60,
            )
        except Late as late:
            return False, f'{late}: {[hxb.Metrics(guest, number).link("mtu_bytes", link) for number, guest in nodes]}'
        before = self.counts(nic)
        result = hxb.stream(self.a, 1, ONE_LINK_SECONDS, length)
        after = self.counts(nic)
        packets = after[0] - before[0]
        mean = (after[1] - before[1]) / packets if packets else 0
        return result['ok'], f'MTU {mtu}: {hxb.told(result)}, {mean:.0f} bytes a frame of the NIC'

    def counts(self, nic):
        """Frames and bytes that the receiver's driver has counted."""
        folder = f'/sys/class/net/{self.b.names[nic]}/statistics'
        return [int(word) for word in self.b.sh(f'cat {folder}/rx_packets {folder}/rx_bytes').split()]

    def plug(self):
        """NICs go and come back while messages pass."""
        hot = [nic for nic in self.links if self.models[nic] in EXPRESS or self.models[nic] == 'usb-net']
        others = [nic for nic in self.links if nic not in hot]
        for nic in others:
            self.record.link(self.models[nic], 'plug', None, 'an old PCI device, which is not unplugged here')
        if not hot or not others:
            return {'outcome': NOT_TRIED, 'note': 'needs links that can be unplugged, and one that stays'}
        pings = Meanwhile(lambda: hxb.ping(self.a, 1, 200, 200))
        for nic in hot:
            self.a.unplug(nic)
        hxb.wait_for('the NICs have gone', lambda: not any(self.a.find_names()[nic] for nic in hot), 90)
        hxb.wait_for(
            'the node has noticed', lambda: not any(hxb.Metrics(self.a, 0).is_good(self.name(nic)) for nic in hot), 60
        )
        for nic in hot:
            self.a.plug(nic)
        hxb.wait_for('the NICs have come back', lambda: all(self.a.find_names()[nic] for nic in hot), 120)
        self.a.sh('; '.join(f'ip link set {self.a.names[nic]} up' for nic in hot), port=1)
        back = []
        for nic in hot:
            try:
                self.wait_good([nic], port=2)
                back.append(nic)
                self.record.link(self.models[nic], 'plug', True, 'used again after it was plugged in')
            except Late as late:
                self.record.link(self.models[nic], 'plug', False, f'{late}')
        result = pings.result()
        return outcome(
            result['ok'] and len(back) == len(hot), f'{len(back)} of {len(hot)} NICs back, meanwhile {hxb.told(result)}'
        )

    def clock(self):
        """The clock of a guest goes an hour forward and back while messages pass."""
        work = Meanwhile(lambda: hxb.stream(self.a, 1, 8, 1400))
        for step in ('+1 hour', '-2 hours', '+1 hour'):
            time.sleep(2)
            self.a.sh(f'date -s "{step}"', port=1)
        result = work.result()
        return outcome(result['ok'], hxb.told(result))

    def pause(self):
        """A guest stands still for 5 s while messages are sent to it."""
        work = Meanwhile(lambda: hxb.stream(self.a, 1, 12, 1400))
        time.sleep(3)
        self.b.qmp('stop')
        time.sleep(5)
        self.b.qmp('cont')
        result = work.result()
        return outcome(
            result['ok'] and result['longestGapMs'] > 1000,
            f'{hxb.told(result)}, the longest pause between sends {result.get("longestGapMs", 0) / 1000:.1f} s',
        )

    def reboot(self):
        """A guest restarts at once, without an end of its node; messages pass again when the node runs again."""
        self.b.sh('sync; (sleep 1; reboot -f) >/dev/null 2>&1 &')
        hxb.wait_for(
            'the other node has noticed', lambda: not hxb.Metrics(self.a, 0).is_good(self.name(self.links[0])), 120
        )
        self.b.wait_up()
        self.find_nics(self.b)
        self.b.sh('; '.join(f'ip link set {self.b.names[nic]} up' for nic in self.links))
        seconds = hxb.start_node(self.b)
        hxb.serve(self.b)
        self.wait_good(self.links)
        result = hxb.stream(self.a, 1, ONE_LINK_SECONDS, 1400)
        return outcome(result['ok'], f'node up {seconds:.0f} s after its start, {hxb.told(result)}')

    def vlan(self):
        """Managers tag the frames of IP: they arrive as long as both sides tag, and only then."""
        nic = self.links[0]
        for number, guest in enumerate(self.guests()):
            name = guest.names[nic]
            guest.sh(
                f'kill $(cat /root/node.pid); ip link set {name} down; ip link set {name} address 02:48:58:42:00:0{number}; '
                f'ip link set {name} up; ip addr add 10.79.0.{number + 1}/24 dev {name}'
            )
        plain = self.echoes()
        self.lab.each(lambda guest: self.manage(guest, guest.names[nic]))
        tagged = self.echoes()
        self.b.sh('kill $(cat /root/manager.pid)')
        hxb.wait_for('the manager has ended', lambda: self.b.run('kill -0 $(cat /root/manager.pid)')[0] != 0, 120)
        half = self.echoes()
        self.a.sh('kill $(cat /root/manager.pid)')
        how = self.a.sh('grep -iE "tag" /root/manager.log | head -1').strip()
        return outcome(
            plain == tagged == 5 and half == 0,
            f'{self.models[nic]}: {plain} of 5 echoes without managers, {tagged} with both, {half} with one'
            + (f'; {how}' if how else ''),
        )

    def manage(self, guest, name):
        status, text = guest.run(
            f'{hxb.JAVA}; export HXB_RUN=/run/manager; mkdir -p /run/manager; '
            f'{hxb.HXB} plan vlan --graph vbft:2,2 --hosts-per-switch 1 --kind host-tagged --save /root/plan || exit 1; '
            f'setsid {hxb.HXB} manager --plan /root/plan --nic {name} >/root/manager.log 2>&1 & echo $! >/root/manager.pid',
            600,
        )
        if status:
            raise RuntimeError(f'{guest.name}: {text[-500:]}')
        hxb.wait_for('the manager serves', lambda: guest.run('test -S /run/manager/manager.sock')[0] == 0, 300, 2)

    def echoes(self):
        """How many of five echo requests of IP are answered."""
        match = re.search(r'(\d+) received', self.a.sh('ping -c 5 -W 5 10.79.0.2', 60))
        return int(match[1]) if match else 0

    # ---- parts of steps ----

    def name(self, nic):
        """The link of a NIC in the cluster file."""
        return f'x.{self.links.index(nic)}'

    def cable(self, nic, is_in):
        for guest in self.guests():
            guest.cable(nic, is_in)

    def carriers(self, guest):
        text = guest.sh(
            '; '.join(f'cat /sys/class/net/{name}/carrier 2>&1' if name else 'echo' for name in guest.names)
        )
        return text.split('\n')[: len(guest.names)]

    def wait_good(self, nics, seconds=90, port=1):
        """Until both nodes use these links."""
        links = [self.name(nic) for nic in nics]

        def missing():
            return [
                f'{guest.name} {link}'
                for number, guest in enumerate(self.guests())
                for metrics in [hxb.Metrics(guest, number, port)]
                for link in links
                if not metrics.is_good(link)
            ]

        end = time.monotonic() + seconds * hxb.Patience.factor
        wrong = missing()
        while wrong:
            if time.monotonic() > end:
                raise Late(f'not good within {seconds} s: {", ".join(wrong)}')
            time.sleep(1)
            wrong = missing()
