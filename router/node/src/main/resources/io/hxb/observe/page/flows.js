// Who talks to whom on the nodes of this machine: everything for operators, otherwise what is one's own or the tenant's.

import {countText, rateText} from './model.js';
import {element, headRow, nodeName} from './tables.js';

const FETCH_MS = 3000;
const MAX_ROWS = 200;
const HEADS = [['Node'], ['User'], ['Program'], ['Context'], ['Peer'], ['State'], ['Sent', 1], ['Received', 1], ['Out', 1], ['In', 1],
  ['In flight', 1], ['Waiting', 1], ['Round trip', 1], ['Sent again', 1], ['Links']];
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

function bytesText(bytes) {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return (unit && value < 100 ? value.toFixed(1) : Math.round(value)) + ' ' + UNITS[unit];
}

const end = (kind, context) => kind === 'messages' ? '' + context : context + ' ' + kind;
const key = flow => [flow.node, flow.pid, flow.kind, flow.context, flow.peer_node, flow.peer_kind, flow.peer_context, flow.state === 'direct'].join();

export class Flows {
  constructor() {
    this.answer = null;
    this.before = new Map();
    this.seconds = 0;
    this.node = -1;
    this.askedMs = 0;
    this.onchange = () => {};
  }

  /** The table, of one node if that is open; asks for newer values if they are old. */
  parts(model, open, node) {
    if (node !== this.node) {
      this.node = node;
      this.answer = null;
      this.before.clear();
      this.askedMs = 0;
    }
    if (Date.now() - this.askedMs > FETCH_MS) {
      this.askedMs = Date.now();
      this.fetch(node);
    }
    if (!this.answer) {
      return [element('p', {}, 'Waiting for the server.')];
    }
    const {viewer, flows, nodes} = this.answer;
    if (viewer === 'public') {
      return [element('p', {}, 'Flows need a session: ', element('code', {}, 'hxb web'), ' begins one, for your own flows or, as an operator, for all.')];
    }
    const parts = nodes.filter(each => each.problem).map(each => element('p', {}, 'Node ' + each.node + ': ' + each.problem));
    const total = nodes.reduce((sum, each) => sum + (each.total ?? 0), 0);
    const whose = (viewer === 'operator' ? '' : ' of ' + viewer + ' and the tenant') + (node < 0 ? '' : ' on node ' + nodeName(model.nodes[node]));
    if (!flows.length) {
      parts.push(element('p', {}, 'No context is open' + whose + '.'));
      return parts;
    }
    const shown = flows.slice(0, MAX_ROWS);
    const caption = 'Who talks to whom' + whose + ', those that carried most bytes first' + (total > shown.length ? '; ' + shown.length + ' of ' + total : '')
      + '. Frames that nodes or kernels relay for others belong to no flow of a relay, and messages of programs that send directly within a node are not counted.';
    parts.push(element('table', {}, element('caption', {}, caption),
      element('tbody', {}, headRow(...HEADS.map(([head, isNumber]) => element('th', {scope: 'col', className: isNumber ? 'number' : ''}, head)))),
      element('tbody', {}, ...shown.map(flow => this.row(flow, model, open)))));
    return parts;
  }

  row(flow, model, open) {
    const text = content => element('td', {}, content);
    const number = content => element('td', {className: 'number'}, content);
    const nodeButton = id => element('button', {type: 'button', onclick: () => open(id)}, nodeName(model.nodes[id]));
    const last = this.before.get(key(flow));
    const rate = what => this.seconds > 0 && last && flow[what] >= last[what] ? rateText((flow[what] - last[what]) / this.seconds) : '-';
    const frames = flow.links.reduce((sum, link) => sum + (link.frames ?? 0), 0);
    const peer = flow.peer_node === undefined ? ['-'] : [nodeButton(flow.peer_node), ' ' + end(flow.peer_kind, flow.peer_context)];
    return element('tr', {},
      text(nodeButton(flow.node)),
      text(flow.user + (flow.tenant ? ' (' + flow.tenant + ')' : '')),
      text(flow.pid ? (flow.program || 'process') + ' ' + flow.pid : '-'),
      text(end(flow.kind, flow.context)),
      element('td', {}, ...peer),
      text(flow.state),
      number(bytesText(flow.sent_bytes)), number(bytesText(flow.received_bytes)),
      number(rate('sent_bytes')), number(rate('received_bytes')),
      number(countText(flow.in_flight_frames)), number(bytesText(flow.waiting_bytes)),
      number(flow.round_trip_ns ? (flow.round_trip_ns / 1000).toFixed(1) + ' us' : '-'),
      number(countText(flow.resent_frames)),
      text(flow.links.map(link => link.frames ? link.link + ' ' + Math.round(100 * link.frames / frames) + ' %' : link.link).join(', ') || '-'));
  }

  async fetch(node) {
    try {
      const answer = await fetch('api/v1/flows' + (node < 0 ? '' : '?node=' + node));
      // Read in any case: the browser keeps an answer whose body nobody reads.
      const body = await answer.json();
      if (answer.ok && node === this.node && body.time_ms !== this.answer?.time_ms) {
        this.before = new Map((this.answer?.flows ?? []).map(flow => [key(flow), flow]));
        this.seconds = this.answer ? (body.time_ms - this.answer.time_ms) / 1000 : 0;
        this.answer = body;
        this.onchange();
      }
    } catch {
      // The stream says that the connection is lost; what is shown stays.
    }
  }
}
