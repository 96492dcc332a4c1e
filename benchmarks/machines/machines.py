#!/usr/bin/env python3
"""Runs HXB on emulated machines with kernels and NIC drivers of Debian, and writes docs/reference/tested-on.md."""

import argparse
import datetime
import json
import os
import signal
import subprocess
import sys

import hxb
import images
import page
import relay
import service
import single
from guests import QEMU, Guest, Lab, folder_of, qemu_models
from steps import DRIVERS, Pair, Record

PROGRAMS = {
    'debootstrap': 'debootstrap',
    'busybox': 'busybox-static',
    'mke2fs': 'e2fsprogs',
    'gcc': 'gcc',
    'make': 'make',
    'setpriv': 'util-linux',
    'unshare': 'util-linux',
}
# Those of an architecture.
MORE_PROGRAMS = {
    'x86-64': {'qemu-system-x86_64': 'qemu-system-x86'},
    'arm64': {
        'qemu-system-aarch64': 'qemu-system-arm',
        'aarch64-linux-gnu-gcc': 'gcc-aarch64-linux-gnu libc6-dev-arm64-cross',
        'depmod': 'kmod',
    },
}
RESULTS = os.path.join(images.PROJECT, 'benchmarks', 'results', 'machines.json')
GIGABYTES = 6
# Labs with their steps, in the order in which they run.
LABS = {'pair': Pair, 'relay': relay.Relay, 'service': service.Service, 'single': single.Single}


def parse():
    parser = argparse.ArgumentParser(prog='benchmarks/run machines', description=__doc__)
    parser.add_argument(
        '--kernel',
        action='append',
        choices=sorted(images.KERNELS),
        help='suite of Debian whose kernel is tried; may be given several times (default: trixie)',
    )
    parser.add_argument(
        '--architecture',
        choices=sorted(MORE_PROGRAMS),
        default='x86-64',
        help='architecture of the guests; arm64 has no lab of services (default: %(default)s)',
    )
    parser.add_argument(
        '--drivers',
        default=','.join(DRIVERS),
        metavar='LIST',
        help='NICs of QEMU; the first eight that the kernel has drivers for are links (default: %(default)s)',
    )
    parser.add_argument(
        '--only',
        action='append',
        metavar='STEP',
        help='only this step and what it needs; may be given several times: '
        + ', '.join(step for lab in LABS.values() for step in lab.STEPS if step not in ('boot', 'node')),
    )
    parser.add_argument(
        '--cache',
        default=os.path.join(images.PROJECT, 'target', 'machines'),
        metavar='FOLDER',
        help=f'where guests are kept, with {GIGABYTES} GB of room (default: target/machines)',
    )
    parser.add_argument('--mirror', metavar='URI', help='mirror of Debian (default: that of apt of this machine)')
    parser.add_argument(
        '--memory', type=int, default=1024, metavar='MB', help='memory of a guest (default: %(default)s)'
    )
    parser.add_argument('--cpus', type=int, default=2, metavar='N', help='CPUs of a guest (default: %(default)s)')
    parser.add_argument(
        '--patience',
        type=int,
        default=1,
        metavar='N',
        help='on a busy machine: all timers and limits are N times as long',
    )
    parser.add_argument(
        '--results',
        default=RESULTS,
        metavar='FILE',
        help='results of all runs (default: benchmarks/results/machines.json)',
    )
    parser.add_argument(
        '--page',
        nargs='?',
        const=page.PAGE,
        metavar='FILE',
        help='only write the page from the results, to this file; - prints it',
    )
    arguments = parser.parse_args()
    arguments.kernel = arguments.kernel or ['trixie']
    arguments.drivers = arguments.drivers.split(',')
    arguments.only = arguments.only or [step for lab in LABS.values() for step in lab.STEPS]
    unknown = [d for d in arguments.drivers if d not in DRIVERS]
    if unknown:
        parser.error(f'--drivers: unknown: {", ".join(unknown)}; known: {", ".join(DRIVERS)}')
    unknown = [step for step in arguments.only if not any(step in lab.STEPS for lab in LABS.values())]
    if unknown:
        parser.error(f'--only: unknown: {", ".join(unknown)}')
    return arguments


def say(text):
    print(f'{datetime.datetime.now():%H:%M:%S} {text}', flush=True)


def named(kind, step):
    """The name of a step of which several labs have one."""
    return f'{kind.__name__.lower()}: {step}' if step in kind.NEEDED else step


def run_lab(kind, kernel, disks, models, arguments, record):
    """Runs the wanted steps of one lab. A step that others need ends the lab if it fails."""
    wanted = [step for step in kind.STEPS if step in arguments.only or step in kind.NEEDED]
    if not set(wanted) & set(arguments.only):
        return
    folder = folder_of(arguments.cache, kind.__name__.lower())
    guests = {
        name: Guest(
            folder,
            name,
            number + 1,
            kernel,
            disks,
            kind.nics(name, models),
            systemd=kind.SYSTEMD,
            memory=max(arguments.memory, kind.MEMORY),
            cpus=arguments.cpus,
            architecture=arguments.architecture,
        )
        for number, name in enumerate(kind.GUESTS)
    }
    with Lab(folder, guests, kind.cables(models)) as lab:
        steps = kind(lab, record)
        for number, step in enumerate(wanted):
            if not record.step(named(kind, step), getattr(steps, step.replace(' ', '_').replace('-', '_'))) and step in kind.NEEDED:
                for left in wanted[number + 1 :]:
                    record.skip(named(kind, left), f'{step} failed')
                break


def run_kernel(kernel, made, arguments):
    """All labs with one kernel; returns the entry of the results."""
    folder = made.kernel(kernel)
    disks = [made.disk(images.KERNELS[kernel]), made.hxb()]
    qemu = QEMU[arguments.architecture]
    known = qemu_models(qemu)
    models = [model for model in arguments.drivers if model in known]
    record = Record(say)
    for model in arguments.drivers:
        if model not in known:
            record.link(model, 'frames', None, 'this QEMU does not emulate it')
    say(f'kernel {images.read(folder + "/release").strip()} of {kernel}, NICs {", ".join(models)}')
    for kind in LABS.values():
        if kind.SYSTEMD and not made.has_systemd():
            for step in set(kind.STEPS) & set(arguments.only):
                record.skip(named(kind, step), 'guests of this architecture have no systemd')
            continue
        run_lab(kind, folder, disks, models, arguments, record)
    return {
        'architecture': arguments.architecture,
        'suite': kernel,
        'kernel': images.read(folder + '/release').strip(),
        'qemu': images.run(qemu, '--version')
        .split('\n')[0]
        .removeprefix('QEMU emulator version ')
        .split(' ')[0],
        'java': made.java(),
        'commit': commit(),
        'date': f'{datetime.date.today()}',
        'steps': record.steps,
        'links': record.links,
    }


def commit():
    result = subprocess.run(
        ['git', '-C', images.PROJECT, 'describe', '--always', '--dirty', '--abbrev=8'],
        capture_output=True,
        text=True,
        check=False,
    )
    return result.stdout.strip() or 'unknown'


def add(entry, file):
    """Adds an entry; steps and links that were tried replace those of the same kernel in an earlier run."""
    entries = json.loads(images.read(file)) if os.path.exists(file) else []
    old = next(
        (e for e in entries if (e['architecture'], e['kernel']) == (entry['architecture'], entry['kernel'])), None
    )
    if old:
        entry['steps'] = {**old['steps'], **entry['steps']}
        links = {model: dict(columns) for model, columns in old['links'].items()}
        for model, columns in entry['links'].items():
            links.setdefault(model, {}).update(columns)
        entry['links'] = links
        entries[entries.index(old)] = entry
    else:
        entries.append(entry)
    images.write(file, json.dumps(entries, indent=1) + '\n')
    return entries


def main():
    arguments = parse()
    hxb.Patience.factor = arguments.patience
    # What ends this process ends the guests, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not arguments.page:
        images.need(
            {**PROGRAMS, **MORE_PROGRAMS[arguments.architecture]},
            GIGABYTES if not os.path.exists(os.path.join(arguments.cache, 'disks')) else 1,
            arguments.cache,
        )
        made = images.Images(arguments.cache, arguments.mirror, say, arguments.architecture)
        failed = 0
        for kernel in arguments.kernel:
            entry = run_kernel(kernel, made, arguments)
            failed += sum(step['outcome'] == 'failed' for step in entry['steps'].values())
            add(entry, arguments.results)
    page.write(json.loads(images.read(arguments.results)), arguments.page or page.PAGE)
    return 1 if not arguments.page and failed else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except images.Missing as missing:
        print(f'machines: {missing}'.replace('\n', '\nmachines: '), file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
