// The tables below the drawing. They say the same as the drawing does, for screen readers and for reading.

import {countText, loadOf, rateText, timeText} from './model.js';

const MAX_ROWS = 500;
const MAX_TRAFFIC_ROWS = 64;
const SEVERITY = {down: 0, failed: 1, dead: 0, alone: 2, weak: 3, stopped: 4, unheard: 1, good: 5, running: 5};

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export function badge(state, text = state) {
  return element('span', {className: 'badge ' + state}, text);
}

export function nodeName(node) {
  return node.node + ' (' + node.coordinates.join(',') + ')' + (node.name ? ' ' + node.name : '');
}

export function stateText(link) {
  return link.state === 'failed' ? 'failed to ' + link.failed_neighbours : link.state;
}

/** The row of heads. Not a thead: for each of those Chromium 156 keeps an object as long as the page is open. */
export function headRow(...heads) {
  return element('tr', {className: 'heads'}, ...heads);
}

function table(caption, heads, rows) {
  return element('table', {}, element('caption', {}, caption),
    element('tbody', {}, headRow(...heads.map(([head, isNumber]) =>
      element('th', {scope: 'col', className: isNumber ? 'number' : ''}, head)))),
    element('tbody', {}, ...rows));
}

function cell(content, isNumber = false) {
  return element('td', {className: isNumber ? 'number' : ''}, content);
}

function opener(text, open, node, link) {
  return element('button', {type: 'button', onclick: () => open(node, link)}, text);
}

function linkRow(model, link, open) {
  const node = model.nodes[link.node];
  const isKnown = node.state === 'running';
  return element('tr', {},
    cell(opener(nodeName(node), open, node.node, '')),
    cell(opener(link.link, open, node.node, link.link)),
    cell(link.nic),
    cell(isKnown ? badge(link.state, stateText(link)) : badge(node.state, 'node ' + node.state)),
    cell(link.weight_percent + ' %', true),
    cell(rateText(link.in_bytes_per_s), true),
    cell(rateText(link.out_bytes_per_s), true),
    cell(countText(link.dropped_frames_per_s), true),
    cell(countText(link.failures), true),
    cell(link.last_reason));
}

const LINK_HEADS = [['Node'], ['Link'], ['NIC'], ['State'], ['Weight', 1], ['In', 1], ['Out', 1], ['Dropped/s', 1], ['Failures', 1], ['Last reason']];

export function heardText(node, nowMs) {
  const seconds = Math.max(0, Math.round((nowMs - node.heard_ms) / 1000));
  return node.state === 'unheard' ? seconds + ' s ago, from other nodes' : 'from other nodes';
}

function doesNotRun(node) {
  return node.state === 'dead' || node.state === 'stopped' || node.state === 'unheard';
}

export function attention(model, open) {
  const nodes = model.nodes.filter(doesNotRun);
  const links = model.links.filter(link => model.nodes[link.node].state === 'running' && (link.state !== 'good' || link.dropped_frames_per_s > 0));
  links.sort((a, b) => SEVERITY[a.state] - SEVERITY[b.state] || a.index - b.index);
  nodes.sort((a, b) => SEVERITY[a.state] - SEVERITY[b.state] || a.node - b.node);
  const parts = [];
  if (nodes.length) {
    parts.push(table('Nodes that do not run', [['Node'], ['State']], nodes.slice(0, MAX_ROWS).map(node =>
      element('tr', {}, cell(opener(nodeName(node), open, node.node, '')),
        cell(badge(node.state, node.state === 'unheard' ? 'heard ' + heardText(node, model.timeMs) : node.state))))));
  }
  if (links.length) {
    parts.push(table('Links that are not good, or drop frames' + more(links.length), LINK_HEADS,
      links.slice(0, MAX_ROWS).map(link => linkRow(model, link, open))));
  }
  if (model.findings.length) {
    parts.push(table('What nodes report' + more(model.findings.length), [['Node'], ['Kind'], ['What is wrong'], ['What to do']],
      model.findings.slice(0, MAX_ROWS).map(finding => element('tr', {},
        cell(opener(nodeName(model.nodes[finding.node]), open, finding.node, '')),
        cell(badge(finding.failure ? 'failed' : 'weak', finding.failure ? 'failure' : 'warning')),
        cell(finding.text), cell(finding.fix)))));
  }
  return parts.length ? parts : [element('p', {}, 'Nothing needs attention.')];
}

export function countAttention(model) {
  let count = model.findings.length;
  for (const node of model.nodes) {
    count += doesNotRun(node) ? 1 : 0;
  }
  for (const link of model.links) {
    count += model.stateOf(link) !== 'good' && model.stateOf(link) !== 'absent' ? 1 : 0;
  }
  return count;
}

export function allLinks(model, open) {
  return [table('All links' + more(model.links.length), LINK_HEADS,
    model.links.slice(0, MAX_ROWS).map(link => linkRow(model, link, open)))];
}

export function traffic(model, open) {
  const names = [...new Set(model.links.map(link => link.link))].sort();
  const nodes = model.nodes.filter(node => node.links.length);
  const shown = nodes.slice().sort((a, b) => b.out - a.out || a.node - b.node).slice(0, MAX_TRAFFIC_ROWS);
  const caption = 'Traffic by node and link, in and out, the busiest nodes first'
    + (nodes.length > shown.length ? '; ' + shown.length + ' of ' + nodes.length + ' nodes' : '')
    + '. On lines of more than two nodes, neighbours are in the next table.';
  const rows = shown.map(node => element('tr', {},
    cell(opener(nodeName(node), open, node.node, '')),
    ...names.map(name => {
      const link = node.links.find(each => each.link === name);
      if (!link) {
        return element('td', {className: 'load'}, '-');
      }
      const peer = model.peer(link);
      return element('td', {className: 'load load-' + loadOf(link.in_bytes_per_s + link.out_bytes_per_s)},
        rateText(link.in_bytes_per_s) + ' / ' + rateText(link.out_bytes_per_s) + (peer < 0 ? '' : ' (node ' + peer + ')'));
    })));
  return [table(caption, [['Node'], ...names.map(name => [name, 1])], rows), ...byNeighbour(model, open)];
}

function byNeighbour(model, open) {
  const all = [];
  for (const link of model.links) {
    if (model.nodes[link.node].state === 'running') {
      all.push(...model.neighboursOf(link).filter(each => each.in_bytes_per_s + each.out_bytes_per_s > 0).map(each => ({link, ...each})));
    }
  }
  if (!all.length) {
    return [];
  }
  const bytes = each => each.in_bytes_per_s + each.out_bytes_per_s;
  all.sort((a, b) => bytes(b) - bytes(a) || a.link.index - b.link.index || a.node - b.node);
  const shown = all.slice(0, MAX_TRAFFIC_ROWS);
  const caption = 'Traffic by neighbour, on lines of more than two nodes, the busiest first'
    + (all.length > shown.length ? '; ' + shown.length + ' of ' + all.length : '');
  return [table(caption, [['Node'], ['Link'], ['Neighbour'], ['In', 1], ['Out', 1], ['Frames in/s', 1], ['Frames out/s', 1]],
    shown.map(each => element('tr', {},
      cell(opener(nodeName(model.nodes[each.link.node]), open, each.link.node, '')),
      cell(opener(each.link.link, open, each.link.node, each.link.link)),
      cell(opener(nodeName(model.nodes[each.node]), open, each.node, '')),
      cell(rateText(each.in_bytes_per_s), true), cell(rateText(each.out_bytes_per_s), true),
      cell(countText(each.in_frames_per_s), true), cell(countText(each.out_frames_per_s), true))))];
}

export function timeline(model, open) {
  if (!model.timeline.length) {
    return [element('p', {}, 'Nothing has changed since this server began to watch.')];
  }
  const signs = {fault: ['failed', '\u25bc fault'], repair: ['good', '\u25b2 repair'], change: ['stopped', '\u25cf change']};
  return [table('Changes of states, the last first', [['Time'], ['Kind'], ['Node'], ['Link'], ['From'], ['To'], ['Reason']],
    model.timeline.slice().reverse().map(entry => element('tr', {},
      cell(timeText(entry.time_ms)), cell(badge(...signs[entry.kind])),
      cell(opener(nodeName(model.nodes[entry.node]), open, entry.node, '')),
      cell(entry.link ? opener(entry.link, open, entry.node, entry.link) : ''),
      cell(entry.from), cell(entry.to), cell(entry.reason))))];
}

function more(count) {
  return count > MAX_ROWS ? ', the first ' + MAX_ROWS + ' of ' + count : '';
}
