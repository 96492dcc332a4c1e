"""Makes what guests start from: Debian's programs and kernels, and a disk with HXB and a trimmed Java."""

import hashlib
import lzma
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.realpath(__file__))
PROJECT = os.path.realpath(os.path.join(HERE, '..', '..'))

# The suites of Debian that have a kernel, and the one whose programs run on it.
KERNELS = {'trixie': 'trixie', 'trixie-backports': 'trixie', 'bookworm': 'bookworm', 'bookworm-backports': 'bookworm'}
# By architecture: what Debian calls it.
DEBIAN = {'x86-64': 'amd64', 'arm64': 'arm64'}
PACKAGES = 'systemd,systemd-sysv,udev,dbus,kmod,iproute2,iputils-ping,ethtool,procps,libcap2-bin,ca-certificates'
# Of guests whose packages are unpacked and not configured, as this machine cannot run their programs.
FOREIGN_PACKAGES = 'kmod,iproute2,iputils-ping,ethtool,procps,busybox-static,openjdk-25-jre-headless'
# What of a kernel's modules guests may need: drivers of NICs, of their own devices, and what these depend on.
MODULES = (
    'drivers/net',
    'net',
    'drivers/virtio',
    'drivers/block/virtio_blk',
    'drivers/char/virtio_console',
    'drivers/char/hw_random',
    'drivers/usb',
    'fs/ext4',
    'fs/jbd2',
    'fs/mbcache',
    'fs/fuse',
    'fs/autofs',
    'lib',
    'crypto',
    'arch',
    'drivers/ptp',
    'drivers/pps',
    'drivers/dca',
    'drivers/phy',
    'drivers/i2c',
)
WITHOUT = (
    'drivers/net/wireless',
    'drivers/net/ethernet/mellanox',
    'drivers/net/ethernet/broadcom',
    'drivers/net/ethernet/chelsio',
    'drivers/net/ethernet/qlogic',
    'drivers/net/ethernet/netronome',
    'drivers/net/ethernet/marvell',
    'drivers/net/ethernet/sfc',
    'drivers/usb/gadget',
    'drivers/usb/serial',
)
# What mounts the disk; the rest is loaded by udev.
EARLY = ('virtio_pci', 'virtio_blk', 'ext4', 'crc32c_generic', 'crc32c-intel')
JAVA = 'java.base,java.logging,java.management,java.naming,java.xml,jdk.management,jdk.net,jdk.unsupported'
# Where Debian's Java is.
JRE = '/usr/lib/jvm/java-25-openjdk-arm64'
COMPILERS = {'x86-64': 'gcc', 'arm64': 'aarch64-linux-gnu-gcc'}
LAUNCHER = """#!/usr/bin/env bash
# deploy/hxb of a guest, in which everything is built.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
jdk=$root/jre
program=$(readlink -f "$root/target/hxb/program")
modules=(pm-api router/fabric router/node router/manager router/tool)

"""
INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc; $b mount -t devtmpfs dev /dev
while read -r module; do $b insmod /modules/$module; done </modules/order
n=0; while [ ! -e /dev/vda ] && [ $n -lt 400 ]; do $b usleep 50000; n=$((n + 1)); done
$b mount -t ext4 -o noatime /dev/vda /root || exec $b sh
init=/sbin/init
for word in $($b cat /proc/cmdline); do case $word in lab.init=*) init=${word#lab.init=} ;; esac; done
$b mount -o move /dev /root/dev; $b umount /proc
exec $b switch_root /root $init
"""


class Missing(Exception):
    """Something that this machine lacks; the text says what to do."""


def need(programs, gigabytes, folder):
    """Raises Missing with a line for each program that is missing, and if there is too little room."""
    wrong = [
        f'{program} is missing: apt-get install {package}'
        for program, package in programs.items()
        if not shutil.which(program)
    ]
    if os.getuid() != 0:
        wrong.append('root is needed: guests are made by debootstrap and chroot')
    os.makedirs(folder, exist_ok=True)
    room = shutil.disk_usage(folder).free / 1e9
    if room < gigabytes:
        wrong.append(f'{folder} has {room:.1f} GB of room and needs {gigabytes}: --cache FOLDER names another')
    if wrong:
        raise Missing('\n'.join(wrong))


def run(*command, **options):
    """Runs a program and returns its output, which an error shows the end of."""
    result = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        **options,
    )
    if result.returncode != 0:
        raise RuntimeError(f'{" ".join(command)[:200]}: status {result.returncode}\n{result.stdout[-3000:]}')
    return result.stdout


def mirror():
    """The mirror of Debian that apt of this machine uses."""
    for line in run('apt-get', 'indextargets', '--format', '$(LABEL)|$(REPO_URI)', 'Created-By: Packages').splitlines():
        label, _, uri = line.partition('|')
        if label == 'Debian':
            return uri
    raise Missing('apt of this machine knows no mirror of Debian: --mirror URI names one')


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    os.chmod(path, mode)


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def digest(*folders):
    """Names, sizes and contents of small folders as one number."""
    total = hashlib.sha256()
    for folder in folders:
        for base, inner, files in os.walk(folder):
            inner.sort()
            for name in sorted(files):
                path = os.path.join(base, name)
                total.update(path.encode())
                with open(path, 'rb') as file:
                    total.update(file.read())
    return total.hexdigest()


class Images:
    """What is in the cache folder; each part is made when it is asked for first. Owned by one thread."""

    def __init__(self, cache, mirror_uri=None, say=print, architecture='x86-64'):
        self.cache = os.path.realpath(cache)
        self.mirror_uri = mirror_uri
        self.say = say
        self.architecture = architecture

    def path(self, *parts):
        return os.path.join(self.cache, *parts)

    def is_foreign(self):
        return self.architecture != 'x86-64'

    def has_systemd(self):
        return not self.is_foreign()

    def named(self, name):
        """The name of what each architecture has one of."""
        return f'{name}.{self.architecture}' if self.is_foreign() else name

    def java(self):
        """The version of Java that guests have."""
        jre = f'{self.path("roots", self.named("trixie"))}{JRE}' if self.is_foreign() else self.path('hxb', 'jre')
        text = read(f'{jre}/release')
        return next(line.split('"')[1] for line in text.splitlines() if line.startswith('JAVA_VERSION='))

    # ---- Debian ----

    def root(self, suite):
        """The folder with Debian's programs."""
        if self.is_foreign():
            return self.foreign_root(suite)
        folder = self.path('roots', suite)
        if not os.path.exists(folder + '.done'):
            uri = self.mirror_uri or mirror()
            self.say(f'making Debian {suite} by debootstrap')
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(os.path.dirname(folder), exist_ok=True)
            # What it mounts is seen by nobody else, and ends with it.
            run(
                'unshare',
                '-m',
                '--propagation',
                'private',
                'debootstrap',
                '--variant=minbase',
                '--components=main',
                '--include=' + PACKAGES,
                suite,
                folder,
                uri,
            )
            write(folder + '.done', uri + '\n')
        return folder

    def foreign_root(self, suite):
        """The same for another architecture: its packages unpacked, and what their scripts would have made."""
        folder, uri = self.path('roots', self.named(suite)), self.mirror_uri or mirror()
        if not os.path.exists(folder + '.done'):
            name = DEBIAN[self.architecture]
            self.say(f'making Debian {suite} for {name} by debootstrap')
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(os.path.dirname(folder), exist_ok=True)
            run(
                'debootstrap',
                '--foreign',
                f'--arch={name}',
                '--variant=minbase',
                '--components=main',
                '--include=' + FOREIGN_PACKAGES,
                suite,
                folder,
                uri,
            )
            archives = f'{folder}/var/cache/apt/archives'
            for package in sorted(os.listdir(archives)):
                if package.endswith('.deb'):
                    # With -x a folder of the package would take the place of the link /bin -> usr/bin.
                    run('bash', '-ec', 'dpkg-deb --fsys-tarfile "$1" | tar -xpC "$2" --keep-directory-symlink', '-',
                        f'{archives}/{package}', folder)
            shutil.rmtree(archives)
            for name in ('passwd', 'group'):
                shutil.copy(f'{folder}/usr/share/base-passwd/{name}.master', f'{folder}/etc/{name}')
            for link, to in (('sh', 'dash'), ('awk', 'mawk')):
                if not os.path.lexists(f'{folder}/usr/bin/{link}'):
                    os.symlink(to, f'{folder}/usr/bin/{link}')
            write(folder + '.done', uri + '\n')
        return folder

    def kernel(self, kernel):
        """The folder with vmlinuz, initrd and release of a kernel; its modules go to Debian's folder."""
        folder = self.path('kernels', self.named(kernel))
        if not os.path.exists(os.path.join(folder, 'release')):
            root = self.root(KERNELS[kernel])
            self.say(f'fetching the kernel of {kernel}')
            packages = self.fetch_kernel(kernel)
            unpacked = folder + '.unpacked'
            shutil.rmtree(unpacked, ignore_errors=True)
            os.makedirs(folder, exist_ok=True)
            for package in packages:
                run('dpkg-deb', '-x', package, unpacked)
            self.install_kernel(unpacked, folder, root)
            shutil.rmtree(unpacked)
            shutil.rmtree(os.path.dirname(packages[0]))
        return folder

    def fetch_kernel(self, kernel):
        """The packages of a kernel, fetched by Debian's own apt, which checks them."""
        native = Images(self.cache, self.mirror_uri, self.say)
        root, name = native.root(KERNELS[kernel]), DEBIAN[self.architecture]
        uri = read(root + '.done').strip()
        suites = sorted({KERNELS[kernel], kernel})
        write(os.path.join(root, 'etc/apt/sources.list'), ''.join(f'deb {uri} {suite} main\n' for suite in suites))
        if os.path.exists('/etc/resolv.conf'):
            shutil.copy('/etc/resolv.conf', os.path.join(root, 'etc/resolv.conf'))
        apt = ['-o', f'APT::Default-Release={kernel}', '-o', f'APT::Architecture={name}']
        apt += ['-o', f'APT::Architectures={name}']
        run('chroot', root, 'apt-get', '-q', *apt[2:], 'update')
        wanted, packages = [f'linux-image-{name}'], []
        while wanted:
            text = run('chroot', root, 'apt-cache', *apt, 'depends', wanted.pop())
            for word in re.findall(r'Depends: (linux-(?:image|binary|modules|base)-[0-9]\S*)', text):
                if word not in packages:
                    packages.append(word)
                    wanted.append(word)
        folder = os.path.join(root, 'var/tmp/kernel')
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        os.chmod(folder, 0o777)
        run(
            'chroot',
            root,
            'sh',
            '-c',
            f'cd /var/tmp/kernel && apt-get -q {" ".join(apt)} download {" ".join(packages)}',
        )
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]

    @staticmethod
    def install_kernel(unpacked, folder, root):
        """Copies the modules that guests need, and makes the initial RAM disk."""
        modules = next(
            path for path in (f'{unpacked}/usr/lib/modules', f'{unpacked}/lib/modules') if os.path.isdir(path)
        )
        release = os.listdir(modules)[0]
        modules = f'{modules}/{release}'
        target = f'{root}/usr/lib/modules/{release}'
        shutil.rmtree(target, ignore_errors=True)
        os.makedirs(target)
        for name in os.listdir(modules):
            if name.startswith('modules.'):
                shutil.copy(f'{modules}/{name}', target)
        for base, _, files in os.walk(f'{modules}/kernel'):
            inner = os.path.relpath(base, f'{modules}/kernel')
            for name in (f'{inner}/{file}' for file in files):
                if name.startswith(MODULES) and not name.startswith(WITHOUT):
                    os.makedirs(f'{target}/kernel/{inner}', exist_ok=True)
                    shutil.copy(f'{modules}/kernel/{name}', f'{target}/kernel/{name}')
        run('depmod', '-b', root, release)
        boot = f'{unpacked}/boot'
        images = (
            [f'{boot}/{name}' for name in os.listdir(boot) if name.startswith('vmlinu')] if os.path.isdir(boot) else []
        )
        shutil.copy((images + [f'{modules}/vmlinuz'])[0], f'{folder}/vmlinuz')
        initrd(root, release, f'{folder}/initrd')
        write(f'{folder}/release', release + '\n')

    def disk(self, suite):
        """The disk with Debian, the modules of all its kernels, and the lab's own programs."""
        root, disk = self.root(suite), self.path('disks', self.named(suite) + '.ext4')
        guest = f'{HERE}/guest'
        stamp = digest(guest, f'{PROJECT}/pm-api/src/main/c') + ' '.join(sorted(os.listdir(f'{root}/usr/lib/modules')))
        if not is_made(disk, stamp):
            self.say(f'making the disk of Debian {suite}')
            shutil.rmtree(f'{root}/var/cache/apt', ignore_errors=True)
            shutil.rmtree(f'{root}/lab', ignore_errors=True)
            shutil.copytree(guest, f'{root}/lab')
            make_probes(f'{root}/lab', self.architecture)
            for name in ('agent', 'agents', 'init'):
                os.chmod(f'{root}/lab/{name}', 0o755)
            shutil.copy(f'{guest}/lab-agents.service', f'{root}/etc/systemd/system/')
            wanted = f'{root}/etc/systemd/system/sysinit.target.wants'
            os.makedirs(wanted, exist_ok=True)
            if not os.path.lexists(f'{wanted}/lab-agents.service'):
                os.symlink('../lab-agents.service', f'{wanted}/lab-agents.service')
            write(f'{root}/etc/hosts', '127.0.0.1 localhost\n')
            write(f'{root}/etc/machine-id', 'uninitialized\n')
            write(f'{root}/etc/fstab', '/dev/vdb /opt/hxb ext4 noatime,x-systemd.device-timeout=900 0 0\n')
            os.makedirs(f'{root}/opt/hxb', exist_ok=True)
            make_disk(root, disk, 3072)
            write(disk + '.stamp', stamp)
        return disk

    # ---- HXB ----

    def hxb(self):
        """The disk with HXB as it is built in this tree, a trimmed Java and its cache for fast starts."""
        disk = self.path('disks', self.named('hxb') + '.ext4')
        built = read(f'{PROJECT}/target/hxb/stamp')
        stamp = built + digest(f'{PROJECT}/deploy')
        if not is_made(disk, stamp):
            self.say('packing HXB and a Java runtime, and training it')
            folder = self.path(self.named('hxb'))
            shutil.rmtree(folder, ignore_errors=True)
            self.pack(folder)
            if self.is_foreign():
                os.symlink(JRE, f'{folder}/jre')
            else:
                self.link_java(folder)
                self.train(folder)
            make_disk(folder, disk, 512)
            write(disk + '.stamp', stamp)
        return disk

    @staticmethod
    def pack(folder):
        """What a guest has in /opt/hxb: the build, deploy/ and Java."""
        os.makedirs(f'{folder}/target/hxb')
        shutil.copytree(
            os.path.realpath(f'{PROJECT}/target/hxb/program'),
            f'{folder}/target/hxb/program',
            ignore=shutil.ignore_patterns('hxb.aot*'),
        )
        shutil.copytree(f'{PROJECT}/deploy', f'{folder}/deploy')
        shutil.copytree(f'{PROJECT}/.mvn', f'{folder}/.mvn')
        launcher = read(f'{PROJECT}/deploy/hxb')
        write(f'{folder}/deploy/hxb', LAUNCHER + launcher[launcher.index('\nflags=()') + 1 :], 0o755)

    @staticmethod
    def link_java(folder):
        jdk = run('bash', '-c', f'. {PROJECT}/deploy/jdk.sh; find_jdk25').strip()
        run(
            f'{jdk}/bin/jlink',
            '--output',
            f'{folder}/jre',
            '--strip-debug',
            '--no-header-files',
            '--no-man-pages',
            '--compress',
            'zip-0',
            '--generate-cds-archive',
            '--add-modules',
            JAVA,
        )

    @staticmethod
    def train(folder):
        """Trains the cache where guests have it, in /opt/hxb, which nothing outside this process sees."""
        run(
            'unshare',
            '-mn',
            '--propagation',
            'private',
            'bash',
            '-ec',
            'mount -t tmpfs tmpfs /opt; mkdir /opt/hxb; mount --bind "$1" /opt/hxb; ip link set lo up; cd /opt/hxb; '
            'export LC_ALL=C.UTF-8; unset HXB_JAVA_OPTIONS; deploy/aot',
            '-',
            folder,
        )


def is_made(disk, stamp):
    return os.path.exists(disk) and os.path.exists(disk + '.stamp') and read(disk + '.stamp') == stamp


def make_probes(folder, architecture):
    """Compiles the program that checks messages and that of libhxb's own tests, with the library of this tree."""
    tests = f'{PROJECT}/pm-api/src/test/c'
    source, out = f'{PROJECT}/pm-api/src/main/c', f'{PROJECT}/target/machines-libhxb-{architecture}'
    compiler = COMPILERS[architecture]
    tools = [f'CC={compiler}', f'OBJCOPY={compiler.removesuffix("gcc")}objcopy']
    run('make', '-s', '-C', source, *tools, f'OUT={out}', f'{out}/libhxb.a')
    scenarios = [f'{tests}/{name}' for name in sorted(os.listdir(tests)) if re.fullmatch(r'scenario\w*\.c', name)]
    options = ['-std=gnu11', '-O2', '-static', '-pthread', '-I', source]
    run(compiler, *options, '-o', f'{folder}/probe', f'{HERE}/guest/probe.c', f'{out}/libhxb.a')
    run(compiler, *options, '-o', f'{folder}/scenario', *scenarios, f'{out}/libhxb.a')


def make_disk(folder, disk, megabytes):
    """Writes a folder to a file system of its own, a sparse file."""
    os.makedirs(os.path.dirname(disk), exist_ok=True)
    with open(disk + '.new', 'wb') as file:
        file.truncate(megabytes << 20)
    run(
        'mke2fs',
        '-q',
        '-t',
        'ext4',
        '-O',
        '^metadata_csum,^64bit',
        '-E',
        'lazy_itable_init=1',
        '-d',
        folder,
        disk + '.new',
    )
    os.replace(disk + '.new', disk)


def initrd(root, release, file):
    """An initial RAM disk: busybox, and the modules that mount the disk, each after those that it needs."""
    modules = f'{root}/usr/lib/modules/{release}'
    needs = {}
    for line in read(f'{modules}/modules.dep').splitlines():
        name, _, rest = line.partition(':')
        needs[name] = rest.split()
    order = []

    def add(name):
        for needed in reversed(needs[name]):
            add(needed)
        if name not in order:
            order.append(name)

    for module in EARLY:
        for name in needs:
            if os.path.basename(name).split('.')[0].replace('-', '_') == module.replace('-', '_'):
                add(name)
    entries = [(folder, 0o40755, b'') for folder in ('bin', 'proc', 'dev', 'root', 'modules')]
    names = []
    for name in order:
        with open(f'{modules}/{name}', 'rb') as module:
            content = module.read()
        if name.endswith('.xz'):
            content = lzma.decompress(content)
        names.append(os.path.basename(name).removesuffix('.xz'))
        entries.append((f'modules/{names[-1]}', 0o100644, content))
    own = f'{root}/usr/bin/busybox'
    with open(own if os.path.exists(own) else shutil.which('busybox'), 'rb') as busybox:
        entries.append(('bin/busybox', 0o100755, busybox.read()))
    entries.append(('modules/order', 0o100644, ('\n'.join(names) + '\n').encode()))
    entries.append(('init', 0o100755, INIT.encode()))
    with open(file, 'wb') as archive:
        for number, (name, mode, content) in enumerate(entries + [('TRAILER!!!', 0, b'')]):
            archive.write(cpio_entry(number + 1, name, mode, content))


def cpio_entry(number, name, mode, content):
    """One file of an archive in the "new ASCII" format.

    Source: Linux, Documentation/driver-api/early-userspace/buffer-format.rst.
    """
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
    head = b'070701' + b''.join(b'%08X' % field for field in fields) + name.encode() + b'\0'
    return head + bytes(-len(head) % 4) + content + bytes(-len(content) % 4)
