"""Two guests under systemd: nodes as services, a restart of a machine, an upgrade."""

import time

import hxb
from steps import ONE_LINK_SECONDS, Meanwhile, Pair, outcome


class Service(Pair):
    """Nodes as docs/howto/service.md and docs/howto/upgrade.md describe."""

    STEPS = ('boot', 'service', 'restart of a machine', 'upgrade')
    NEEDED = ('boot', 'service')
    SYSTEMD = True

    @staticmethod
    def nics(_name, models):
        # Where udev loads all drivers at once, two of them want a NIC of USB.
        return [model for model in models if model != 'usb-net'][:2]

    @staticmethod
    def cables(models):
        return [('a', nic, 'b', nic) for nic in range(len(Service.nics('a', models)))]

    def boot(self):
        text = super().boot()
        # /opt/hxb is a folder of the guest's own, which can be moved.
        self.lab.each(
            lambda guest: guest.sh(
                'umount /opt/hxb && rmdir /opt/hxb && mount /dev/vdb /mnt && cp -a /mnt /opt/hxb && umount /mnt && '
                'sed -i /vdb/d /etc/fstab && sync',
                300,
            )
        )
        return text

    def service(self):
        nics = {guest: [guest.names[nic] for nic in self.links] for guest in self.guests()}
        text = f'name: machines\nshape: 2\nbackend: raw\nlinks: {{x: [{", ".join(nics[self.a])}]}}\nnodes:\n' + ''.join(
            f'  {number}: {{links: {{x: [{", ".join(nics[guest])}]}}}}\n' for number, guest in enumerate(self.guests())
        )
        for number, guest in enumerate(self.guests()):
            hxb.configure(guest, text + hxb.timers(), number)
        self.lab.each(self.install)
        self.lab.each(self.wait_active)
        hxb.serve(self.b)
        self.wait_good(self.links)
        result = hxb.stream(self.a, 1, ONE_LINK_SECONDS, 1400)
        restarts = [self.facts(guest) for guest in self.guests()]
        return outcome(
            result['ok'] and all(fact['NRestarts'] == '0' for fact in restarts),
            f'{hxb.told(result)}, user {restarts[0]["User"]}, memory {int(restarts[0]["MemoryCurrent"]) >> 20} MB, '
            f'{", ".join(fact["NRestarts"] for fact in restarts)} restarts',
        )

    @staticmethod
    def install(guest):
        """As docs/howto/service.md describes; the file for the NICs is what `hxb doctor --fix` writes."""
        status, text = guest.run(
            'set -e; install -Dm644 -t /etc/sysusers.d /opt/hxb/deploy/sysusers.d/hxb.conf; systemd-sysusers hxb.conf; '
            'install -Dm644 -t /etc/tmpfiles.d /opt/hxb/deploy/tmpfiles.d/hxb.conf; '
            'systemd-tmpfiles --create hxb.conf; '
            'mkdir -p /etc/systemd/system/hxb-node.service.d; '
            "printf '[Service]\\nEnvironment=HXB_JAVA_OPTIONS=-XX:TieredStopAtLevel=1\\nTimeoutStartSec=600\\n"
            "WatchdogSec=120\\n' "
            '>/etc/systemd/system/hxb-node.service.d/lab.conf; '
            'cp /opt/hxb/deploy/hxb-node.service /etc/systemd/system/; systemctl daemon-reload; '
            'systemctl enable --now systemd-networkd 2>&1; systemctl enable hxb-node 2>&1; '
            'systemctl start --no-block hxb-node',
            120,
        )
        if status:
            raise RuntimeError(f'{guest.name}: {text}')

    @staticmethod
    def facts(guest):
        text = guest.sh('systemctl show hxb-node -p NRestarts,User,MemoryCurrent,ActiveState')
        return dict(line.split('=', 1) for line in text.splitlines())

    def wait_active(self, guest, seconds=600):
        def is_active():
            state = self.facts(guest)['ActiveState']
            if state == 'failed':
                raise RuntimeError(guest.sh('journalctl -u hxb-node --no-pager -o cat | tail -5'))
            return state == 'active'

        hxb.wait_for(f'{guest.name}: the service is active', is_active, seconds, 2)

    def restart_of_a_machine(self):
        """A machine restarts at once; its service starts by itself, with NICs that the system sets up."""
        status, text = self.b.run(
            f'{hxb.JAVA}; timeout 300 {hxb.HXB} doctor --config {hxb.CONFIG} --fix; ' 'ls /etc/systemd/network/; sync',
            360,
        )
        if '.network' not in text:
            raise RuntimeError(f'hxb doctor --fix wrote no file: status {status}: {text[-500:]}')
        self.b.sh('(sleep 1; reboot -f) >/dev/null 2>&1 &')
        hxb.wait_for('the other node has noticed', lambda: not hxb.Metrics(self.a, 0).is_good('x.0'), 120)
        start = time.monotonic()
        self.b.wait_up()
        self.wait_active(self.b)
        took = time.monotonic() - start
        hxb.serve(self.b)
        self.wait_good(self.links)
        result = hxb.stream(self.a, 1, ONE_LINK_SECONDS, 1400)
        return outcome(result['ok'], f'active {took:.0f} s after the restart, {hxb.told(result)}')

    def upgrade(self):
        """Folders are exchanged and both services restarted, one after the other, while messages are sent."""
        self.lab.each(lambda guest: guest.sh('rm -rf /opt/hxb-new; cp -a /opt/hxb /opt/hxb-new', 300))
        work = Meanwhile(lambda: hxb.stream(self.a, 1, 20, 1400, port=2))
        time.sleep(2)
        for guest in reversed(self.guests()):
            guest.sh(
                'systemctl stop hxb-node; mv /opt/hxb /opt/hxb-old && mv /opt/hxb-new /opt/hxb; '
                'cp /opt/hxb/deploy/hxb-node.service /etc/systemd/system/; systemctl daemon-reload; '
                'systemctl start --no-block hxb-node',
                120,
            )
            self.wait_active(guest)
        during = work.result()
        hxb.serve(self.b)
        self.wait_good(self.links)
        result = hxb.stream(self.a, 1, ONE_LINK_SECONDS, 1400)
        told = (
            'the sender was told'
            if not during['ok'] and ('events' in during or 'error' in during)
            else hxb.told(during)
        )
        return outcome(result['ok'] and not during.get('bad'), f'meanwhile {told}; after it {hxb.told(result)}')
