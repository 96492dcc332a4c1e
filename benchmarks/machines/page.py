"""Writes docs/reference/tested-on.md from the results of all runs."""

import os
import re

import images
from relay import Relay
from service import Service
from single import Single
from steps import DRIVERS, Pair

PAGE = os.path.join(images.PROJECT, 'docs', 'reference', 'tested-on.md')
COLUMNS = {
    'frames': 'frames',
    'jumbo': 'MTU 9000',
    'mtu': 'MTU change',
    'trains': 'long frames',
    'relay': 'kernel relay',
    'carrier': 'cable out and in',
    'plug': 'unplug and plug',
}
MARKS = {'passed': 'yes', 'failed': '**no**', 'not tried': '-'}
HEAD = """# Tested on

<!-- made by benchmarks/run machines from benchmarks/results/machines.json -->
Kernels and drivers of NICs with which HXB was tried on emulated machines. `benchmarks/run machines` makes guests of Debian,
starts them under QEMU with a cable for each NIC, and runs the steps below ([how](../../benchmarks/machines/README.md)). Every
byte that arrives is checked. The drivers are those of Linux, but the NICs are emulated: no physical NIC was tried.

"Long frames" names who cuts a message of 60,000 bytes and who joins it. "-" was not tried or is not possible; a number in
brackets is the longest MTU of the driver.
"""


def cell(words):
    return ' '.join(words.replace('|', '/').split())[:300]


def short(column, result):
    """What an engineer wants to know of a driver, in a few words."""
    if result is None:
        return '-'
    note = result['note']
    if result['outcome'] == 'passed':
        who = re.match(r'cut by the (.*), joined by the (.*) \(', note)
        if column == 'trains':
            return f'{who[1]}, {who[2]}' if who else 'node, node'
        if column == 'carrier' and note.startswith('keeps'):
            return 'yes; keeps its carrier'
    most = re.search(r'MTU of (\d+) at most', note)
    return f'- ({most[1]})' if most and column == 'jumbo' else MARKS[result['outcome']]


def links_table(entry):
    lines = [f'| NIC of QEMU | driver | {" | ".join(COLUMNS.values())} |', '| --- ' * (len(COLUMNS) + 2) + '|']
    for model in DRIVERS:
        columns = entry['links'].get(model)
        if columns:
            cells = [model, columns.get('driver', 'none')] + [short(name, columns.get(name)) for name in COLUMNS]
            lines.append(f'| {" | ".join(cells)} |')
    return lines


def steps_table(entry):
    lines = ['| step | outcome | seconds | what was seen |', '| --- | --- | --- | --- |']
    names = [
        f'{lab.__name__.lower()}: {step}' if step in lab.NEEDED else step
        for lab in (Pair, Relay, Service, Single)
        for step in lab.STEPS
    ]
    for name in names:
        result = entry['steps'].get(name)
        if result is None:
            lines.append(f'| {name} | not tried | | |')
            continue
        mark = '**failed**' if result['outcome'] == 'failed' else result['outcome']
        lines.append(f'| {name} | {mark} | {result["seconds"]} | {cell(result["note"])} |')
    return lines


def failures(entry):
    return [
        f'- {model}, {title}: {cell(columns[name]["note"])}'
        for model, columns in entry['links'].items()
        for name, title in COLUMNS.items()
        if columns.get(name, {}).get('outcome') == 'failed'
    ]


def untried(entry):
    return [
        f'- {model}: {columns["frames"]["note"]}'
        for model, columns in entry['links'].items()
        if columns.get('frames', {}).get('outcome') == 'not tried'
    ]


def text(entries):
    lines = HEAD.splitlines()
    for entry in entries:
        lines += ['', f'## Linux {entry["kernel"]}', '']
        lines += [
            f'Debian {entry["suite"]}, {entry["architecture"]}, {entry["date"]}. HXB {entry["commit"]}, QEMU {entry["qemu"]}, '
            f'Java {entry["java"]}.',
            '',
        ]
        lines += links_table(entry)
        wrong = failures(entry)
        if wrong:
            lines += ['', 'What does not work:', ''] + wrong
        if untried(entry):
            lines += ['', 'Not tried:', ''] + untried(entry)
        lines += [''] + steps_table(entry)
    return '\n'.join(lines) + '\n'


def write(entries, file):
    if file == '-':
        print(text(entries), end='')
    else:
        images.write(file, text(entries))
