"""Virtual machines with emulated NICs, and cables between them."""

import json
import os
import random
import select
import shutil
import socket
import subprocess
import threading
import time

# Models that are PCI Express devices; each has a port of its own, where it can be unplugged. The others share a bridge.
EXPRESS = ('e1000e', 'igb', 'virtio-net-pci', 'vmxnet3')
PORTS = 3
# By architecture: the program of QEMU, and what it emulates.
QEMU = {'x86-64': 'qemu-system-x86_64', 'arm64': 'qemu-system-aarch64'}
MACHINES = {
    'x86-64': ('q35', 'Nehalem', 'ttyS0', 'mitigations=off no_timer_check'),
    'arm64': ('virt,gic-version=3', 'cortex-a76', 'ttyAMA0', 'mitigations=off'),
}


class Late(Exception):
    """Something did not happen in time; the text says what."""


def qemu_models(program):
    """The NICs that this QEMU can emulate."""
    text = subprocess.run([program, '-machine', 'none', '-device', 'help'], capture_output=True, text=True, check=False)
    return {line.split('"')[1] for line in text.stdout.splitlines() if line.startswith('name "')}


class Guest:
    """One machine. Owned by the thread of the steps; a guest's ports may be used by several threads."""

    def __init__(
        self, folder, name, number, kernel, disks, models, systemd=False, memory=1024, cpus=2, architecture='x86-64'
    ):
        self.folder, self.name, self.number, self.kernel, self.disks = folder, name, number, kernel, disks
        self.architecture = architecture
        self.models, self.systemd, self.memory, self.cpus = list(models), systemd, memory, cpus
        self.cables = {}
        self.names = []
        self.process = None
        self.sockets = [None] * PORTS
        self.locks = [threading.Lock() for _ in range(PORTS)]

    def path(self, what):
        return os.path.join(self.folder, f'{self.name}.{what}')

    def mac(self, nic):
        # usb-net tells its guest another first byte than it is given.
        first = '40' if self.models[nic] == 'usb-net' else '52'
        return f'{first}:54:00:00:{self.number:02x}:{nic:02x}'

    def device(self, nic):
        """Arguments of a device as QMP takes them."""
        model = self.models[nic]
        arguments = {
            'driver': model,
            'netdev': f'net{nic}',
            'id': f'nic{nic}',
            'mac': f'52:54:00:00:{self.number:02x}:{nic:02x}',
        }
        if model == 'usb-net':
            arguments['bus'] = 'usb.0'
        elif model in EXPRESS:
            arguments['bus'] = f'port{nic}'
        else:
            arguments.update(bus='bridge', addr=str(nic + 1))
        return arguments

    def command(self):
        machine, cpu, serial, options = MACHINES[self.architecture]
        console = f'console={serial} loglevel=4 panic=5 nowatchdog {options}'
        console += ' cryptomgr.notests apparmor=0 audit=0'
        console += f' lab.host={self.name} systemd.hostname={self.name} systemd.firstboot=off'
        init = '/sbin/init' if self.systemd else '/lab/init'
        words = [
            QEMU[self.architecture],
            '-name',
            self.name,
            '-machine',
            machine,
            '-accel',
            'tcg,thread=multi,tb-size=256',
            '-cpu',
            cpu,
            '-smp',
            str(self.cpus),
            '-m',
            str(self.memory),
            '-nodefaults',
            '-no-user-config',
            '-display',
            'none',
            '-kernel',
            f'{self.kernel}/vmlinuz',
            '-initrd',
            f'{self.kernel}/initrd',
            '-append',
            f'{console} lab.init={init}',
            '-serial',
            'file:' + self.path('console'),
            '-rtc',
            'base=utc,clock=host',
            '-qmp',
            f'unix:{self.path("qmp")},server=on,wait=off',
            '-device',
            'virtio-serial-pci,addr=0x5',
            '-device',
            'virtio-rng-pci,addr=0x6',
            '-device',
            'qemu-xhci,id=usb,addr=0x7',
        ]
        for number, disk in enumerate(self.disks):
            words += [
                '-drive',
                f'file={disk},if=none,format=raw,id=disk{number},snapshot=on,cache=unsafe',
                '-device',
                f'virtio-blk-pci,drive=disk{number},addr={hex(8 + number)}',
            ]
        for port in range(PORTS):
            words += [
                '-chardev',
                f'socket,id=port{port}s,path={self.path(f"port{port}")},server=on,wait=off',
                '-device',
                f'virtserialport,chardev=port{port}s,name=lab.{port},nr={port + 1}',
            ]
        if any(model not in EXPRESS and model != 'usb-net' for model in self.models):
            words += [
                '-device',
                'pcie-root-port,id=old,chassis=100,addr=0xf',
                '-device',
                'pcie-pci-bridge,id=bridge,bus=old',
            ]
        for nic, (mine, other) in sorted(self.cables.items()):
            words += [
                '-netdev',
                f'dgram,id=net{nic},local.type=unix,local.path={mine},remote.type=unix,remote.path={other}',
            ]
            if self.models[nic] in EXPRESS:
                words += ['-device', f'pcie-root-port,id=port{nic},chassis={nic + 1},addr={hex(0x10 + nic)}']
            words += [
                '-device',
                ','.join(value if key == 'driver' else f'{key}={value}' for key, value in self.device(nic).items()),
            ]
        return words

    def start(self):
        for mine, _ in self.cables.values():
            if os.path.exists(mine):
                os.unlink(mine)
        self.sockets = [None] * PORTS
        log = open(self.path('qemu'), 'wb')
        # The kernel ends a guest whose lab has ended, however that ended.
        self.process = subprocess.Popen(
            ['setpriv', '--pdeathsig', 'KILL', 'nice', '-n', '10', *self.command()],
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            env=dict(os.environ, TMPDIR=self.folder),
        )
        log.close()

    def wait_up(self, seconds=900):
        """Until the guest serves commands and has found its NICs; returns the seconds since it was called."""
        start = time.monotonic()
        ready = 'systemctl is-system-running | grep -qE "running|degraded"' if self.systemd else 'test -e /run/lab.up'
        while time.monotonic() - start < seconds:
            if self.process.poll() is not None:
                with open(self.path('qemu'), encoding='utf-8', errors='replace') as log:
                    raise RuntimeError(f'{self.name}: QEMU ended: {log.read()[-800:]}')
            try:
                if self.run(ready, 30)[0] == 0:
                    return time.monotonic() - start
            except (Late, OSError):
                pass
            time.sleep(1)
        raise Late(f'{self.name} did not start within {seconds} s: see {self.path("console")}')

    def run(self, command, seconds=120, port=0):
        """Runs a command of bash in the guest: its status and what it printed."""
        ident = f'{random.getrandbits(32):08x}'
        line = command.replace('\\', '\\\\').replace('\n', '\\n')
        with self.locks[port]:
            if self.sockets[port] is None:
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(self.path(f'port{port}'))
                self.sockets[port] = connection
            try:
                self.sockets[port].sendall(f'{ident} {line}\n'.encode())
                return self.answer(ident, seconds, port)
            except (Late, OSError):
                self.sockets[port].close()
                self.sockets[port] = None
                raise

    def answer(self, ident, seconds, port):
        """The output up to the line that ends it; what an earlier command that came too late has left is skipped."""
        end, seen = time.monotonic() + seconds, ''
        mark = f'\nend-{ident} '
        while time.monotonic() < end:
            if not select.select([self.sockets[port]], [], [], 0.5)[0]:
                continue
            piece = self.sockets[port].recv(65536)
            if not piece:
                raise OSError('the port was closed')
            seen += piece.decode(errors='replace').replace('\r', '')
            at = seen.find(mark)
            if at >= 0 and seen.endswith('\n'):
                late = seen.rfind('\nend-', 0, at)
                output = seen[seen.index('\n', late + 1) + 1 : at] if late >= 0 else seen[:at]
                return int(seen[at + len(mark) :]), output
        raise Late(f'{self.name}: no answer within {seconds} s')

    def sh(self, command, seconds=120, port=0):
        return self.run(command, seconds, port)[1]

    def qmp(self, command, **arguments):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(30)
            connection.connect(self.path('qmp'))
            lines = connection.makefile('rw', encoding='utf-8')
            lines.readline()
            for request in ({'execute': 'qmp_capabilities'}, {'execute': command, 'arguments': arguments}):
                lines.write(json.dumps(request) + '\n')
                lines.flush()
                reply = {}
                while 'return' not in reply and 'error' not in reply:
                    reply = json.loads(lines.readline())
        if 'error' in reply:
            raise RuntimeError(f'{self.name}: {command}: {reply["error"]["desc"]}')
        return reply['return']

    def cable(self, nic, is_in):
        self.qmp('set_link', name=f'nic{nic}', up=is_in)

    def unplug(self, nic):
        self.qmp('device_del', id=f'nic{nic}')

    def plug(self, nic):
        self.qmp('device_add', **self.device(nic))

    def find_names(self):
        """Names of the NICs in the guest, None where a kernel has no driver or the NIC is gone.

        Without udev they get names by their number here, as udev names them by their place.
        """
        text = self.sh('for i in /sys/class/net/*; do read -r mac <$i/address; echo "${i##*/} $mac"; done', port=1)
        by_mac = {line.split()[1]: line.split()[0] for line in text.splitlines() if len(line.split()) == 2}
        names = [by_mac.get(self.mac(nic)) for nic in range(len(self.models))]
        if not self.systemd:
            other = {name: f'nic{nic}' for nic, name in enumerate(names) if name and name != f'nic{nic}'}
            if other:
                self.sh('; '.join(f'ip link set {old} name {new}' for old, new in other.items()), port=1)
            names = [name and f'nic{nic}' for nic, name in enumerate(names)]
        return names

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait()


class Lab:
    """Guests and cables: {name: Guest}; cables as (guest, NIC, guest, NIC). Ends its guests as it is left."""

    def __init__(self, folder, guests, cables):
        self.folder, self.guests = folder, guests
        for first, nic, second, other in cables:
            ends = os.path.join(folder, f'{first}{nic}.end'), os.path.join(folder, f'{second}{other}.end')
            guests[first].cables[nic] = ends
            guests[second].cables[other] = ends[::-1]

    def __enter__(self):
        for guest in self.guests.values():
            guest.start()
        return self

    def __exit__(self, *reason):
        for guest in self.guests.values():
            guest.kill()
        for name in os.listdir(self.folder):
            if not name.endswith(('.console', '.log', '.qemu')):
                os.unlink(os.path.join(self.folder, name))

    def __iter__(self):
        return iter(self.guests.values())

    def each(self, action):
        """Calls action(guest) for all guests at once; raises the first error."""
        results, errors = {}, []

        def one(guest):
            try:
                results[guest.name] = action(guest)
            except Exception as error:  # told to the caller
                errors.append(error)

        threads = [threading.Thread(target=one, args=(guest,)) for guest in self]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        return results


def folder_of(cache, name):
    """An empty folder for the sockets and consoles of a lab."""
    folder = os.path.join(cache, 'labs', name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    if len(folder) > 80:
        raise RuntimeError(f'{folder} is too long for sockets: --cache FOLDER names another')
    return folder
