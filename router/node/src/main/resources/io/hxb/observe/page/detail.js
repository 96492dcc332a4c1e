// The panel of the selected node or link: ten minutes, its counters.

import {drawChart} from './chart.js';
import {countText, rateText} from './model.js';
import {badge, element, heardText, nodeName, stateText} from './tables.js';

const FETCH_MS = 2000;
const MAX_NEIGHBOURS = 16;

export class Detail {
  constructor(panel, model, select, close) {
    this.panel = panel;
    this.model = model;
    this.select = select;
    this.close = close;
    this.node = -1;
    this.link = '';
  }

  show(node, link, palette) {
    this.node = node;
    this.link = link;
    this.palette = palette;
    this.history = null;
    this.build();
    clearInterval(this.timer);
    this.fetch();
    this.timer = setInterval(() => this.fetch(), FETCH_MS);
  }

  /** Shows facts that do not change. */
  showFacts({title, rows}) {
    this.hide();
    const close = element('button', {type: 'button', ariaLabel: 'Close'}, 'Close');
    close.onclick = () => this.close();
    this.panel.replaceChildren(element('div', {className: 'head'}, element('h2', {}, title), close),
      element('dl', {className: 'facts'}, ...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)])));
    this.panel.hidden = false;
  }

  hide() {
    clearInterval(this.timer);
    this.node = -1;
    this.panel.hidden = true;
  }

  get isOpen() {
    return this.node >= 0;
  }

  build() {
    const node = this.model.nodes[this.node];
    const link = node.links.find(each => each.link === this.link);
    this.facts = element('dl', {className: 'facts'});
    this.charts = this.wanted(link).map(chart => ({...chart, canvas: element('canvas', {className: 'chart'})}));
    this.counters = element('tbody');
    const close = element('button', {type: 'button', ariaLabel: 'Close'}, 'Close');
    close.onclick = () => this.close();
    const title = link ? 'Link ' + link.link : 'Node ' + node.node;
    const parts = [element('div', {className: 'head'}, element('h2', {}, title), close), this.facts];
    if (link) {
      const back = element('button', {type: 'button'}, 'Node ' + nodeName(node));
      back.onclick = () => this.select(node.node, '');
      parts.splice(1, 0, back);
      this.neighbours = element('tbody');
      parts.push(this.neighbourPart = element('div', {hidden: true}, element('h3', {}, 'Neighbours'), element('table', {}, this.neighbours)));
    } else if (node.links.length) {
      this.links = element('tbody');
      parts.push(element('h3', {}, 'Links'), element('table', {}, this.links));
    }
    for (const {title: name, canvas} of this.charts) {
      canvas.setAttribute('role', 'img');
      canvas.setAttribute('aria-label', name + ' over the last ten minutes');
      parts.push(element('h3', {}, name), canvas);
    }
    parts.push(element('details', {}, element('summary', {}, 'Counters since the start of the node'), element('table', {}, this.counters)));
    this.panel.replaceChildren(...parts);
    this.panel.hidden = false;
    this.update();
  }

  wanted(link) {
    if (link) {
      return [
        {title: 'Traffic', lines: [['in', 'in', 'in_bytes_per_s'], ['out', 'out', 'out_bytes_per_s']], text: rateText},
        {title: 'Frames a second', lines: [['in', 'in', 'in_frames_per_s'], ['out', 'out', 'out_frames_per_s']], text: countText},
        {title: 'Frames dropped a second', lines: [['failed', 'dropped', 'dropped_frames_per_s']], text: countText},
      ];
    }
    return [
      {title: 'Messages a second', lines: [['out', 'sent', 'sent_messages_per_s'], ['in', 'delivered', 'delivered_messages_per_s']], text: countText},
      {title: 'Frames a second', lines: [['in', 'relayed', 'relayed_frames_per_s'], ['failed', 'sent again', 'resent_frames_per_s']], text: countText},
    ];
  }

  /** Shows what is new; called after each event. */
  update() {
    if (!this.isOpen) {
      return;
    }
    const node = this.model.nodes[this.node];
    if (!node) {
      this.close();
      return;
    }
    const link = node.links.find(each => each.link === this.link);
    const rows = link ? this.linkFacts(node, link) : this.nodeFacts(node);
    this.facts.replaceChildren(...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
    if (link) {
      this.showNeighbours(link);
    }
    if (!link && this.links && document.activeElement?.closest('tbody') !== this.links) {
      this.links.replaceChildren(...node.links.map(each => {
        const open = element('button', {type: 'button'}, each.link);
        open.onclick = () => this.select(node.node, each.link);
        const state = node.state === 'running' ? badge(each.state, stateText(each)) : badge(node.state, 'node ' + node.state);
        return element('tr', {}, element('td', {}, open), element('td', {}, state),
          element('td', {className: 'number'}, 'in ' + rateText(each.in_bytes_per_s)),
          element('td', {className: 'number'}, 'out ' + rateText(each.out_bytes_per_s)));
      }));
    }
  }

  // On lines of more than two nodes: those with which there was traffic, the busiest first.
  showNeighbours(link) {
    const all = this.model.neighboursOf(link).slice(0, MAX_NEIGHBOURS);
    this.neighbourPart.hidden = all.length === 0;
    if (document.activeElement?.closest('tbody') === this.neighbours) {
      return;
    }
    this.neighbours.replaceChildren(...all.map(each => {
      const open = element('button', {type: 'button'}, nodeName(this.model.nodes[each.node]));
      open.onclick = () => this.select(each.node, '');
      return element('tr', {}, element('td', {}, open),
        element('td', {className: 'number'}, 'in ' + rateText(each.in_bytes_per_s)),
        element('td', {className: 'number'}, 'out ' + rateText(each.out_bytes_per_s)));
    }));
  }

  nodeFacts(node) {
    if (node.state === 'absent') {
      return [['State', 'never heard here'], ['Coordinates', node.coordinates.join(', ')], ['Name', node.name || '-']];
    }
    const elsewhere = node.local === false ? [['Heard', heardText(node, this.model.timeMs)]] : [];
    return [
      ['State', badge(node.state)], ...elsewhere, ['Coordinates', node.coordinates.join(', ')], ['Name', node.name || '-'],
      ['Messages sent', countText(node.sent_messages_per_s) + ' /s'], ['Messages delivered', countText(node.delivered_messages_per_s) + ' /s'],
      ['Frames relayed', countText(node.relayed_frames_per_s) + ' /s'], ['Frames sent again', countText(node.resent_frames_per_s) + ' /s'],
    ];
  }

  linkFacts(node, link) {
    const peer = this.model.peer(link);
    return [
      ['State', node.state === 'running' ? badge(link.state, stateText(link)) : badge(node.state, 'node ' + node.state)],
      ['NIC', link.nic], ['MTU', countText(link.mtu_bytes) + ' bytes'],
      ['Neighbours heard', link.neighbours + (peer < 0 ? '' : ' (node ' + peer + ')')], ['Weight', link.weight_percent + ' %'],
      ['In', rateText(link.in_bytes_per_s)], ['Out', rateText(link.out_bytes_per_s)],
      ['Failures, recoveries', link.failures + ', ' + link.recoveries], ['Last reason', link.last_reason || '-'],
    ];
  }

  async fetch() {
    const [node, link] = [this.node, this.link];
    if (document.hidden || this.model.nodes[node]?.state === 'absent') {
      return;
    }
    try {
      const answer = await fetch('api/v1/history?node=' + node + '&link=' + encodeURIComponent(link));
      const history = await answer.json();
      if (answer.ok && node === this.node && link === this.link) {
        this.history = history;
        this.drawCharts();
      }
    } catch {
      // The stream says that the connection is lost; what is shown stays.
    }
  }

  drawCharts(palette = this.palette) {
    this.palette = palette;
    const history = this.history;
    if (!history) {
      return;
    }
    const bad = history.states.map(state => state !== 'good' && state !== 'running');
    for (const {lines, text, canvas} of this.charts) {
      drawChart(canvas, palette, lines.map(([colour, name, key]) => ({colour, name, values: history[key]})), text, bad);
    }
    this.counters.replaceChildren(...Object.entries(history.counters).filter(([, value]) => value !== 0).map(([name, value]) =>
      element('tr', {}, element('td', {}, name), element('td', {className: 'number'}, countText(value)))));
  }
}
