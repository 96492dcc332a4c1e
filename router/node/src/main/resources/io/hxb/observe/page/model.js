// The network as the server has described it last.

export const LINK_RATES = ['in_bytes_per_s', 'out_bytes_per_s', 'in_frames_per_s', 'out_frames_per_s', 'dropped_frames_per_s'];
export const NEIGHBOUR_RATES = LINK_RATES.slice(0, 4);
export const NODE_RATES = ['sent_messages_per_s', 'delivered_messages_per_s', 'relayed_frames_per_s', 'resent_frames_per_s'];

/** Bytes a second from which on a link or node has load 1, 2, 3 and 4. */
export const LOADS = [1e4, 1e6, 1e7, 1e8];

export function loadOf(bytes) {
  let load = 0;
  while (load < LOADS.length && bytes >= LOADS[load]) {
    load++;
  }
  return load;
}

export class Model {
  constructor() {
    this.clear();
  }

  clear() {
    this.shape = [];
    this.dimensions = [];
    this.cluster = '';
    this.nodes = [];
    this.links = [];
    this.findings = [];
    this.timeline = [];
    this.timeMs = 0;
    this.dirty = new Set();
    this.version = 0;
  }

  /** True if there are nodes. */
  get isThere() {
    return this.shape.length > 0;
  }

  /** Takes everything. Returns true if the drawing has to be laid out anew. */
  network(network) {
    const isOther = network.cluster !== this.cluster || String(network.shape) !== String(this.shape);
    this.cluster = network.cluster;
    this.shape = network.shape;
    this.dimensions = network.dimensions;
    this.links = network.links;
    this.findings = network.findings;
    this.timeline = network.timeline;
    const count = this.shape.reduce((product, extent) => product * extent, 1);
    this.nodes = new Array(count);
    for (let node = 0; node < count; node++) {
      this.nodes[node] = {node, name: '', coordinates: this.coordinates(node), state: 'absent', links: [], out: 0};
    }
    for (const node of network.nodes) {
      this.nodes[node.node] = Object.assign(this.nodes[node.node], node);
    }
    for (const link of this.links) {
      this.nodes[link.node].links.push(link);
      link.byNeighbour = new Map(link.by_neighbour.map(each => [each.node, each]));
      this.nodes[link.node].out += link.out_bytes_per_s;
    }
    this.changed(network);
    this.dirty = null;
    return isOther;
  }

  states(change) {
    for (const each of change.nodes) {
      Object.assign(this.nodes[each.node], each);
      this.touch(each.node);
    }
    for (const health of change.links) {
      const link = Object.assign(this.links[health.index], health);
      this.touch(link.node);
    }
    if (change.findings) {
      this.findings = change.findings;
    }
    this.timeline = this.timeline.concat(change.timeline).slice(-500);
    this.changed(change);
  }

  rates(change) {
    for (const [id, ...rates] of change.nodes) {
      NODE_RATES.forEach((name, i) => { this.nodes[id][name] = rates[i]; });
    }
    for (const row of change.links) {
      const link = this.links[row[0]];
      const node = this.nodes[link.node];
      const oldNode = loadOf(node.out);
      const oldLink = loadOf(link.in_bytes_per_s + link.out_bytes_per_s);
      node.out += row[2] - link.out_bytes_per_s;
      link.in_bytes_per_s = row[1];
      link.out_bytes_per_s = row[2];
      link.in_frames_per_s = row[3];
      link.out_frames_per_s = row[4];
      link.dropped_frames_per_s = row[5];
      // Only what looks different is drawn again.
      if (loadOf(node.out) !== oldNode || loadOf(row[1] + row[2]) !== oldLink) {
        this.touch(link.node);
      }
    }
    for (const [index, node, ...rates] of change.neighbours) {
      const each = {node};
      NEIGHBOUR_RATES.forEach((name, i) => { each[name] = rates[i]; });
      this.links[index].byNeighbour.set(node, each);
    }
    this.changed(change);
  }

  changed(event) {
    this.timeMs = event.time_ms;
    this.version++;
  }

  touch(node) {
    if (this.dirty) {
      this.dirty.add(node);
    }
  }

  /** Nodes to draw again; null for all of them. */
  takeDirty() {
    const dirty = this.dirty;
    this.dirty = new Set();
    return dirty;
  }

  coordinates(node) {
    return this.shape.map(extent => {
      const coordinate = node % extent;
      node = (node - coordinate) / extent;
      return coordinate;
    });
  }

  id(coordinates) {
    return coordinates.reduceRight((id, coordinate, i) => id * this.shape[i] + coordinate, 0);
  }

  /** A node by id, coordinates or a part of its name; -1 if there is none. */
  find(text) {
    const wanted = text.trim().toLowerCase();
    if (/^\d+$/.test(wanted)) {
      return Number(wanted) < this.nodes.length ? Number(wanted) : -1;
    }
    if (/^\d+([,. ]+\d+)+$/.test(wanted)) {
      const coordinates = wanted.split(/[,. ]+/).map(Number);
      const isValid = coordinates.length === this.shape.length && coordinates.every((each, i) => each < this.shape[i]);
      return isValid ? this.id(coordinates) : -1;
    }
    const found = wanted ? this.nodes.find(node => node.name.toLowerCase().includes(wanted)) : null;
    return found ? found.node : -1;
  }

  /** The only other node of a link's line, if there is exactly one. */
  peer(link) {
    if (this.shape[link.dimension] !== 2) {
      return -1;
    }
    const coordinates = this.nodes[link.node].coordinates.slice();
    coordinates[link.dimension] = 1 - coordinates[link.dimension];
    return this.id(coordinates);
  }

  /** Neighbours of a link with which there was traffic, the busiest first; none where they are not counted one by one. */
  neighboursOf(link) {
    const bytes = each => each.in_bytes_per_s + each.out_bytes_per_s;
    return [...link.byNeighbour.values()].sort((a, b) => bytes(b) - bytes(a) || a.node - b.node);
  }

  /** A link as it is drawn: that of a node that does not run is as unknown as the node. */
  stateOf(link) {
    return this.nodes[link.node].state === 'running' ? link.state : 'absent';
  }
}

export function rateText(bytes) {
  if (bytes >= 1e9) {
    return (bytes / 1e9).toFixed(2) + ' GB/s';
  }
  if (bytes >= 1e6) {
    return (bytes / 1e6).toFixed(bytes >= 1e8 ? 0 : 1) + ' MB/s';
  }
  return bytes >= 1e3 ? (bytes / 1e3).toFixed(bytes >= 1e5 ? 0 : 1) + ' kB/s' : Math.round(bytes) + ' B/s';
}

export function countText(count) {
  return Math.round(count).toLocaleString('en').replaceAll(',', '\u202f');
}

export function timeText(ms) {
  return new Date(ms).toLocaleTimeString('en-GB');
}
