// Joins the stream, the model and what is drawn of it.

import {drawStrip} from './chart.js';
import {Detail} from './detail.js';
import {Drawing, drawLegend} from './drawing.js';
import {Flows} from './flows.js';
import {Geometry} from './geometry.js';
import {Loads} from './loads.js';
import {Model, countText, rateText, timeText} from './model.js';
import {Results} from './results.js';
import {Stream} from './stream.js';
import * as tables from './tables.js';
import {Users} from './users.js';

const find = id => document.getElementById(id);
const stage = find('stage');
const LIVE_LABEL = stage.getAttribute('aria-label');
const model = new Model();
let geometry = new Geometry([]);
const drawing = new Drawing(stage, model, geometry);
const detail = new Detail(find('detail'), model, open, close);
const results = new Results();
const flows = new Flows();
const users = new Users();
const loads = new Loads(stage);
/** What the canvas shows: the running network, or the loads of a result. */
const view = () => loads.shown ? loads : drawing;
const tabs = {
  attention: () => tables.attention(model, open),
  links: () => tables.allLinks(model, open),
  traffic: () => tables.traffic(model, open),
  timeline: () => tables.timeline(model, open),
  flows: () => flows.parts(model, open, detail.isOpen ? drawing.selected.node : -1),
  users: () => users.parts(),
  result: () => results.parts(drawing.colours),
};
let tab = 'attention';
let tableVersion = -1;

const stream = new Stream('api/v1/events', {
  network(network) {
    if (model.network(network)) {
      geometry = new Geometry(model.shape);
      drawing.geometry = geometry;
      drawing.selected = {node: -1, link: ''};
      detail.close();
    }
    document.title = model.cluster + ' - HXB';
    if (!loads.shown) {
      drawing.layout(drawing.geometry.scale === 1);
    }
    shown();
  },
  states(change) {
    model.states(change);
    announceFaults(change.timeline);
    shown();
    showTable();
  },
  rates(change) {
    model.rates(change);
    shown();
  },
  connection: showConnection,
});

/** Tells screen readers of faults; of many at once the last one. */
function announceFaults(entries) {
  const faults = entries.filter(entry => entry.kind === 'fault');
  if (faults.length) {
    const last = faults[faults.length - 1];
    find('faults').textContent = (faults.length > 1 ? faults.length + ' faults, the last: ' : 'Fault: ') + 'node ' + tables.nodeName(model.nodes[last.node])
      + (last.link ? ', link ' + last.link : '') + ' is ' + last.to + (last.reason ? ', ' + last.reason : '');
  }
}

function shown() {
  drawing.request();
  showSummary();
  detail.update();
}

function showConnection({state, pauseMs}) {
  const pill = find('connection');
  pill.dataset.state = state;
  document.body.classList.toggle('old', state === 'lost' && model.isThere);
  pill.textContent = state === 'live' ? 'Live'
    : 'Connection lost' + (model.timeMs ? ', last state of ' + timeText(model.timeMs) : '') + '; trying again in ' + Math.ceil(pauseMs / 1000) + ' s';
}

function put(id, text, small, look) {
  const field = find(id);
  if (field.dataset.text !== text + small) {
    field.dataset.text = text + small;
    field.replaceChildren(text, ' ', tables.element('small', {}, small));
  }
  field.className = look;
}

function showSummary() {
  const known = model.nodes.filter(node => node.state !== 'absent');
  const running = known.filter(node => node.state === 'running');
  const links = model.links.filter(link => model.stateOf(link) !== 'absent');
  const good = links.filter(link => link.state === 'good').length;
  const isDead = known.some(node => node.state === 'dead' || node.state === 'unheard');
  const hasFailed = links.some(link => link.state === 'failed' || link.state === 'down');
  let sent = 0;
  let dropped = 0;
  for (const link of links) {
    sent += link.out_bytes_per_s;
    dropped += link.dropped_frames_per_s;
  }
  find('cluster').textContent = model.cluster;
  find('shape').textContent = model.shape.join(' x ');
  const elsewhere = model.nodes.length - known.length;
  put('sum-nodes', running.length + '', 'of ' + known.length + (elsewhere ? ' known, ' + elsewhere + ' never heard' : ''), isDead ? 'bad' : running.length < known.length ? 'warn' : '');
  put('sum-links', good + '', 'of ' + links.length, hasFailed ? 'bad' : good < links.length ? 'warn' : '');
  put('sum-rate', rateText(sent), '', '');
  put('sum-drops', countText(dropped), '/s', dropped ? 'warn' : '');
  const failures = model.findings.filter(finding => finding.failure).length;
  put('sum-findings', model.findings.length + '', failures ? failures + (failures === 1 ? ' failure' : ' failures') : '', failures ? 'bad' : model.findings.length ? 'warn' : '');
  find('tab-attention').textContent = 'Needs attention (' + tables.countAttention(model) + ')';
  const empty = find('empty');
  empty.hidden = known.length > 0 || !!loads.shown;
  empty.textContent = 'No node of this cluster has run on this machine yet.';
}

function showTable(isForced = false) {
  const panel = find('panel');
  // What somebody has the focus in is not replaced under his hands.
  if (!isForced && (tableVersion === model.version || panel.contains(document.activeElement) && document.activeElement !== panel)) {
    return;
  }
  tableVersion = model.version;
  if (model.isThere || tab === 'result') {
    panel.replaceChildren(...tabs[tab]());
    results.draw(drawing.colours);
  }
}

function choose(name) {
  tab = name;
  for (const button of document.querySelectorAll('[role=tab]')) {
    const isChosen = button.id === 'tab-' + name;
    button.setAttribute('aria-selected', isChosen);
    button.tabIndex = isChosen ? 0 : -1;
    if (isChosen) {
      find('panel').setAttribute('aria-labelledby', button.id);
    }
  }
  showTable(true);
}

/** Draws the loads of a result, or the running network again. */
function showLoads(result) {
  const was = loads.shown;
  if (result) {
    loads.show(result, geometry, drawing.colours);
  } else {
    loads.hide();
  }
  drawing.isHidden = !!result;
  find('shown').hidden = !result;
  find('shown-name').textContent = 'Results of ' + results.name + (result?.name ? ', ' + result.name : '');
  find('empty').hidden = true;
  stage.setAttribute('aria-label', result
    ? 'Loads of channels. Right and left move from the busiest channel to the next, up and down turn to the opposite direction, Enter opens, Escape closes.'
    : LIVE_LABEL);
  if (was && !result) {
    closeDetail();
    drawing.layout();
  }
  showLegend();
}

function showLegend() {
  if (loads.shown) {
    loads.drawLegend(find('legend'));
  } else {
    drawLegend(find('legend'), drawing.colours);
  }
}

function selectChannel(channel) {
  loads.select(channel);
  if (channel >= 0) {
    const {title, rows} = loads.facts(channel);
    find('announce').textContent = 'Channel ' + title + ', ' + rows.map(row => row.join(' ')).join(', ');
  }
}

function openChannel(channel) {
  if (!loads.shown) {
    results.show();
  }
  if (!loads.shown) {
    return;
  }
  selectChannel(channel);
  const wasHidden = find('detail').hidden;
  document.querySelector('.columns').classList.add('open');
  detail.showFacts(loads.facts(channel));
  if (wasHidden) {
    loads.layout();
  }
}

function closeDetail() {
  detail.hide();
  document.querySelector('.columns').classList.remove('open');
}

function select(node, link = '') {
  drawing.selected = {node, link};
  drawing.request();
  const there = model.nodes[node];
  if (there) {
    const links = there.links.filter(each => model.stateOf(each) === 'good').length;
    find('announce').textContent = 'Node ' + tables.nodeName(there) + ', ' + (there.state === 'absent' ? 'never heard here' : there.state)
      + (there.links.length ? ', ' + links + ' of ' + there.links.length + ' links good' : '') + (link ? ', link ' + link : '');
  }
}

function open(node, link = '') {
  if (loads.shown) {
    showLoads(null);
  }
  select(node, link);
  const wasOpen = detail.isOpen;
  document.querySelector('.columns').classList.add('open');
  detail.show(node, link, drawing.colours);
  if (!wasOpen) {
    drawing.layout();
  }
  if (window.innerWidth <= 980) {
    find('detail').scrollIntoView({block: 'start', behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'});
  }
}

function close() {
  if (!find('detail').hidden) {
    closeDetail();
    view().layout();
    stage.focus({preventScroll: true});
  } else if (loads.shown) {
    selectChannel(-1);
  } else {
    select(-1);
  }
}

function move(dimension, step) {
  const extent = model.shape[dimension];
  if (!extent) {
    return;
  }
  const node = model.nodes[drawing.selected.node];
  if (!node) {
    select(0);
    return;
  }
  const coordinates = node.coordinates.slice();
  coordinates[dimension] = Math.max(0, Math.min(extent - 1, coordinates[dimension] + step));
  select(model.id(coordinates));
  if (detail.isOpen) {
    open(drawing.selected.node);
  }
}

const KEYS = {
  ArrowLeft: () => move(0, -1), ArrowRight: () => move(0, 1), ArrowUp: () => move(1, -1), ArrowDown: () => move(1, 1),
  PageUp: () => move(2, -1), PageDown: () => move(2, 1), Enter: () => drawing.selected.node >= 0 && open(drawing.selected.node, drawing.selected.link),
};
const LOADS_KEYS = {
  ArrowRight: () => moveChannel(loads.next(1)), ArrowLeft: () => moveChannel(loads.next(-1)),
  ArrowUp: () => moveChannel(loads.channel ^ 1), ArrowDown: () => moveChannel(loads.channel ^ 1),
  Enter: () => loads.channel >= 0 && openChannel(loads.channel),
};
const ZOOM_KEYS = {'+': () => zoom(1.25), '-': () => zoom(0.8), '0': () => view().layout()};

function moveChannel(channel) {
  if (channel >= 0) {
    if (find('detail').hidden) {
      selectChannel(channel);
    } else {
      openChannel(channel);
    }
  }
}

stage.addEventListener('keydown', event => {
  const action = ZOOM_KEYS[event.key] ?? (loads.shown ? LOADS_KEYS : KEYS)[event.key];
  if (action && (model.isThere || loads.shown) && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    action();
  }
});
document.addEventListener('keydown', event => {
  if (event.key === 'Escape') {
    close();
  } else if (event.key === '/' && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) {
    event.preventDefault();
    find('search').focus();
  }
});
find('search').addEventListener('input', event => select(model.find(event.target.value)));
find('search').addEventListener('keydown', event => {
  const node = model.find(event.target.value);
  if (event.key === 'Enter' && node >= 0) {
    open(node);
    stage.focus();
  }
});

function zoom(factor, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
  view().geometry.zoom(factor, x, y);
  view().layout(false);
}

find('zoom-in').onclick = () => zoom(1.25);
find('zoom-out').onclick = () => zoom(0.8);
find('zoom-fit').onclick = () => view().layout();
find('live').onclick = () => showLoads(null);
stage.addEventListener('wheel', event => {
  // A page that scrolls stays usable: the wheel alone scrolls, with Ctrl it zooms.
  if (event.ctrlKey) {
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 0.87, event.offsetX, event.offsetY);
  }
}, {passive: false});

let drag = null;
stage.addEventListener('pointerdown', event => {
  drag = {x: event.clientX, y: event.clientY, left: view().geometry.left, top: view().geometry.top, hasMoved: false};
  stage.setPointerCapture(event.pointerId);
});
stage.addEventListener('pointermove', event => {
  const [dx, dy] = drag ? [event.clientX - drag.x, event.clientY - drag.y] : [0, 0];
  if (drag && (drag.hasMoved || Math.hypot(dx, dy) > 5)) {
    drag.hasMoved = true;
    view().geometry.left = drag.left + dx;
    view().geometry.top = drag.top + dy;
    view().layout(false);
  }
});
stage.addEventListener('pointerup', event => {
  const wasMoved = drag?.hasMoved;
  drag = null;
  const box = stage.getBoundingClientRect();
  if (!wasMoved && loads.shown) {
    const channel = loads.hit(event.clientX - box.left, event.clientY - box.top);
    if (channel >= 0) {
      openChannel(channel);
    } else {
      close();
    }
  } else if (!wasMoved && model.isThere) {
    const hit = geometry.hit(event.clientX - box.left, event.clientY - box.top, model.nodes);
    if (hit) {
      open(hit.node, hit.link ? hit.link.link : '');
    } else {
      close();
    }
  }
});
stage.addEventListener('pointercancel', () => { drag = null; });

const THEMES = ['system', 'light', 'dark'];
function setTheme(theme) {
  localStorage.setItem('theme', theme);
  if (theme === 'system') {
    document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  } else {
    document.documentElement.dataset.theme = theme;
  }
  find('theme').textContent = 'Theme: ' + theme;
  drawing.recolour();
  loads.recolour(drawing.colours);
  showLegend();
  detail.drawCharts(drawing.colours);
  results.draw(drawing.colours);
}
const theme = () => THEMES.find(each => each === localStorage.getItem('theme')) || 'system';
find('theme').onclick = () => setTheme(THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => setTheme(theme()));

for (const button of document.querySelectorAll('[role=tab]')) {
  button.onclick = () => choose(button.id.slice(4));
  button.onkeydown = event => {
    const names = Object.keys(tabs);
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (step) {
      choose(names[(names.indexOf(tab) + step + names.length) % names.length]);
      find('tab-' + tab).focus();
    }
  };
}
results.onchange = () => showTable(true);
results.onshow = showLoads;
flows.onchange = () => {
  if (tab === 'flows') {
    tableVersion = -1;
    showTable();
  }
};
users.onchange = () => tab === 'users' && showTable(true);
results.onchannel = openChannel;

new ResizeObserver(() => {
  if (stage.clientWidth !== drawing.width || stage.clientHeight !== drawing.height) {
    drawing.layout();
    if (loads.shown) {
      loads.layout();
    }
  }
}).observe(stage);
setInterval(() => {
  if (!document.hidden) {
    showTable();
    drawStrip(find('strip'), drawing.colours, model.timeline, stream.source ? Math.max(model.timeMs, Date.now() - 60000) : model.timeMs);
  }
}, 1000);

setTheme(theme());
// For tests and for those who look for a fault in the page itself.
window.hxb = {model, drawing, stream, results, loads, select, open};
