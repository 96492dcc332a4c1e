// The graph of a result's channels, and where its switches are: lattices by their coordinates, others by their distances.

/** More switches are listed, but not drawn. */
export const MAX_DRAWN = 2560;
const PIVOTS = 40;
const PAIRS_BUDGET = 3e8;
const SEGMENTS = 8;

/** `channels` has from, to and value; two in a row are the directions of a link. `spec` are the words that made the graph, if any. */
export function graphOf(channels, spec) {
  const names = namesOf(channels, spec);
  const numbers = new Map(names.map((name, i) => [name, i]));
  const links = [];
  channels.forEach(({from, to}, i) => {
    if (i % 2 === 0) {
      links.push({a: numbers.get(from), b: numbers.get(to), channels: [i, i + 1]});
    }
  });
  const graph = {names, links, lattice: latticeOf(spec, names.length, links)};
  const drawn = graph.lattice?.isCrossbar ? graph.lattice.count : names.length;
  if (drawn > MAX_DRAWN) {
    return {...graph, tooLarge: drawn};
  }
  if (!graph.lattice?.isCrossbar) {
    graph.points = graph.lattice ? latticePoints(graph.lattice, names.length) : placed(names.length, links);
    graph.paths = links.map(link => path(graph, link));
  }
  return graph;
}

/** Generated switches are s0, s1 and so on, whatever the order of their channels. */
function namesOf(channels, spec) {
  const found = [...new Set(channels.flatMap(({from, to}) => [from, to]))];
  const isNumbered = spec && found.every(name => /^s\d+$/.test(name) && Number(name.slice(1)) < found.length);
  return isNumbered ? found.map((_, i) => 's' + i) : found;
}

/** Extents and kind of a graph that `spec` names; null for all others and for those that are not what it says. */
function latticeOf(spec, count, links) {
  const [, kind, text] = /^(mesh|torus|cube|hypercube|hyperx|hyper-crossbar):([\dx,]+)$/.exec(spec ?? '') ?? [];
  if (!kind) {
    return null;
  }
  const numbers = text.split(/[x,]/).map(Number);
  const extents = kind === 'cube' ? new Array(numbers[1]).fill(numbers[0]) : kind === 'hypercube' ? new Array(numbers[0]).fill(2) : numbers;
  const nodes = extents.reduce((product, extent) => product * extent, 1);
  const isCrossbar = kind === 'hyper-crossbar';
  const firsts = [];
  let next = nodes;
  for (const extent of isCrossbar ? extents : []) {
    firsts.push(next);
    next += nodes / extent;
  }
  const isSame = next === count && (!isCrossbar || links.every(link => link.a < nodes && link.b >= nodes));
  return isSame ? {extents, count: nodes, isCrossbar, dimension: node => firsts.findLastIndex(first => node >= first)} : null;
}

/** Two dimensions as a grid; the third along a diagonal within its squares; further ones as grids beside each other. */
function latticePoints({extents}, count) {
  const depth = extents[2] ?? 1;
  const points = [];
  for (let node = 0; node < count; node++) {
    let rest = node;
    const at = extents.map(extent => {
      const coordinate = rest % extent;
      rest = (rest - coordinate) / extent;
      return coordinate;
    });
    let [x, y] = [at[0], at[1] ?? 0];
    const shift = (at[2] ?? 0) * 0.66 / Math.max(1, depth);
    let [width, height] = [extents[0] + 0.8, (extents[1] ?? 1) + 0.8];
    for (let i = 3; i < extents.length; i++) {
      if (i % 2) {
        x += at[i] * width;
        width *= extents[i];
      } else {
        y += at[i] * height;
        height *= extents[i];
      }
    }
    points.push([x + shift, y - shift]);
  }
  return points;
}

/** A straight line, or an arc where other switches of a row are between the ends, as a list of points. */
function path({points, lattice}, {a, b}) {
  const [[x1, y1], [x2, y2]] = [points[a], points[b]];
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (!lattice || length < 1.2) {
    return [[x1, y1], [x2, y2]];
  }
  const bulge = 0.14 + 0.05 * length;
  const [dx, dy] = [(y2 - y1) / length * bulge, -(x2 - x1) / length * bulge];
  const made = [];
  for (let i = 0; i <= SEGMENTS; i++) {
    const part = i / SEGMENTS;
    const out = 4 * part * (1 - part);
    made.push([x1 + part * (x2 - x1) + out * dx, y1 + part * (y2 - y1) + out * dy]);
  }
  return made;
}

function neighbours(count, links) {
  const lists = Array.from({length: count}, () => []);
  for (const {a, b} of links) {
    lists[a].push(b);
    lists[b].push(a);
  }
  return lists;
}

/** Links between a switch and all others. */
function distances(from, lists) {
  const found = new Float64Array(lists.length).fill(-1);
  const queue = [from];
  found[from] = 0;
  for (let i = 0; i < queue.length; i++) {
    for (const next of lists[queue[i]]) {
      if (found[next] < 0) {
        found[next] = found[queue[i]] + 1;
        queue.push(next);
      }
    }
  }
  return found.map(distance => distance < 0 ? lists.length : distance);
}

/**
 * Places switches by their distances to some of them, then lets close ones repel each other. The same graph is always placed in the same way.
 * Source: Brandes and Pich, Eigensolver Methods for Progressive Multidimensional Scaling, 2006; Fruchterman and Reingold, 1991.
 */
function placed(count, links) {
  const lists = neighbours(count, links);
  const columns = pivots(lists);
  for (const column of columns) {
    for (let i = 0; i < count; i++) {
      column[i] *= column[i];
    }
  }
  centre(columns, count);
  const first = axis(columns, count, []);
  const second = axis(columns, count, [first]);
  const size = Math.sqrt(count);
  const [x, y] = [first, second].map((values, turn) => {
    const max = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
    // Switches with the same distances would be in the same place.
    return values.map((value, i) => value / max * size / 2 + 0.3 * noise(2 * i + turn));
  });
  spread(x, y, lists, size);
  return Array.from(x, (value, i) => [value, y[i]]);
}

function noise(i) {
  const value = Math.sin(12.9898 * (i + 1)) * 43758.5453;
  return value - Math.floor(value) - 0.5;
}

/** Distances to switches that are far from each other. */
function pivots(lists) {
  const found = [];
  const nearest = new Float64Array(lists.length).fill(Infinity);
  let next = 0;
  while (found.length < Math.min(PIVOTS, lists.length)) {
    const column = distances(next, lists);
    found.push(column);
    column.forEach((distance, i) => { nearest[i] = Math.min(nearest[i], distance); });
    next = nearest.reduce((best, distance, i) => distance > nearest[best] ? i : best, 0);
  }
  return found;
}

function centre(columns, count) {
  const rows = new Float64Array(count);
  let all = 0;
  const means = columns.map(column => column.reduce((sum, value) => sum + value, 0) / count);
  columns.forEach((column, k) => {
    column.forEach((value, i) => { rows[i] += value / columns.length; });
    all += means[k] / columns.length;
  });
  columns.forEach((column, k) => {
    for (let i = 0; i < count; i++) {
      column[i] = -(column[i] - rows[i] - means[k] + all) / 2;
    }
  });
}

/** The direction in which the columns differ most, at right angles to those that are known. */
function axis(columns, count, known) {
  let values = Float64Array.from({length: count}, (_, i) => noise(7 * i + known.length));
  for (let turn = 0; turn < 60; turn++) {
    const sums = columns.map(column => column.reduce((sum, value, i) => sum + value * values[i], 0));
    const next = new Float64Array(count);
    columns.forEach((column, k) => {
      for (let i = 0; i < count; i++) {
        next[i] += column[i] * sums[k];
      }
    });
    for (const other of known) {
      const part = next.reduce((sum, value, i) => sum + value * other[i], 0);
      for (let i = 0; i < count; i++) {
        next[i] -= part * other[i];
      }
    }
    const length = Math.sqrt(next.reduce((sum, value) => sum + value * value, 0)) || 1;
    values = next.map(value => value / length);
  }
  return values;
}

function spread(x, y, lists, size) {
  const count = x.length;
  const turns = Math.max(40, Math.min(300, Math.round(PAIRS_BUDGET / (count * count))));
  for (let turn = 0; turn < turns; turn++) {
    const dx = new Float64Array(count);
    const dy = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < i; j++) {
        const [ax, ay] = [x[i] - x[j], y[i] - y[j]];
        const push = 1 / (ax * ax + ay * ay + 1e-6);
        dx[i] += ax * push;
        dy[i] += ay * push;
        dx[j] -= ax * push;
        dy[j] -= ay * push;
      }
      for (const j of lists[i]) {
        const [ax, ay] = [x[j] - x[i], y[j] - y[i]];
        const pull = Math.hypot(ax, ay);
        dx[i] += ax * pull;
        dy[i] += ay * pull;
      }
    }
    const limit = 0.1 * size * (1 - turn / turns) + 0.01;
    for (let i = 0; i < count; i++) {
      const length = Math.hypot(dx[i], dy[i]) || 1;
      x[i] += dx[i] / length * Math.min(length, limit);
      y[i] += dy[i] / length * Math.min(length, limit);
    }
  }
}
