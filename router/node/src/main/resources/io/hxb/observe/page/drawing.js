// Draws the network on three canvases: buses below, nodes and links above, the selection on top.
// Full pictures are drawn class by class, so that colours are set a few times only; after that, only squares that changed.

import {CELL} from './geometry.js';
import {loadOf} from './model.js';

const COLOURS = ['bus', 'cell-0', 'cell-1', 'cell-2', 'cell-3', 'cell-4', 'link-0', 'link-1', 'link-2', 'link-3', 'link-4',
  'weak', 'alone', 'failed', 'down', 'absent', 'select', 'text', 'muted', 'card', 'border', 'in', 'out', 'accent'];
/** Below these pixels a node, strokes are bare, and symbols become a mark at the node's corner. */
const SYMBOL_SCALE = 22;
const LABEL_SCALE = 38;
const FULL_SHARE = 0.3;

export function colours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(COLOURS.map(name => [name, style.getPropertyValue('--' + name).trim()]));
}

/** Gives a canvas as many pixels as the screen has for it. Returns its context, scaled to CSS pixels. */
export function sized(canvas, width, height) {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const context = canvas.getContext('2d');
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

export class Drawing {
  constructor(stage, model, geometry) {
    this.stage = stage;
    this.model = model;
    this.geometry = geometry;
    this.selected = {node: -1, link: ''};
    this.frames = [];
    this.colours = colours();
    this.layout();
  }

  /** Lays everything out anew: the shape, the window or the colours are others. */
  layout(fits = true) {
    const [base, state, mark] = this.stage.querySelectorAll('canvas');
    this.width = this.stage.clientWidth;
    this.height = this.stage.clientHeight;
    this.base = sized(base, this.width, this.height);
    this.state = sized(state, this.width, this.height);
    this.mark = sized(mark, this.width, this.height);
    this.geometry.count(this.model.links);
    if (fits) {
      this.geometry.fit(this.width, this.height);
    }
    this.all = true;
    this.request();
  }

  recolour() {
    this.colours = colours();
    this.layout(false);
  }

  request() {
    if (!this.requested) {
      this.requested = true;
      requestAnimationFrame(() => this.draw());
    }
  }

  draw() {
    this.requested = false;
    if (this.isHidden) {
      return;
    }
    const start = performance.now();
    const dirty = this.model.takeDirty();
    if (!this.model.isThere) {
      return;
    }
    if (this.all) {
      this.drawBase();
    }
    const nodes = this.model.nodes;
    if (this.all || dirty === null || dirty.size > nodes.length * FULL_SHARE) {
      this.state.clearRect(0, 0, this.width, this.height);
      this.drawNodes(nodes);
    } else if (dirty.size > 0) {
      const changed = [...dirty].map(node => nodes[node]);
      const scale = this.geometry.scale;
      for (const {node} of changed) {
        this.state.clearRect(this.geometry.x(node), this.geometry.y(node), scale, scale);
      }
      this.drawNodes(changed);
    }
    this.drawMark();
    this.all = false;
    this.frames.push(performance.now() - start);
    if (this.frames.length > 600) {
      this.frames.shift();
    }
  }

  drawBase() {
    const {base, geometry, colours} = this;
    base.clearRect(0, 0, this.width, this.height);
    base.fillStyle = colours.bus;
    for (let plane = 0; plane < geometry.planes; plane++) {
      const left = geometry.planeX(plane);
      const top = geometry.planeY(plane);
      for (let dimension = 0; dimension < Math.min(2, geometry.shape.length); dimension++) {
        this.drawBuses(left, top, dimension);
      }
    }
    this.drawLabels();
  }

  drawBuses(left, top, dimension) {
    const {base, geometry} = this;
    const {scale} = geometry;
    const lines = dimension === 0 ? geometry.height : geometry.width;
    const length = (dimension === 0 ? geometry.width : geometry.height) * scale;
    const wide = scale < SYMBOL_SCALE ? 1 : 2;
    for (let line = 0; line < lines; line++) {
      for (let number = 0; number < geometry.links[dimension]; number++) {
        const stroke = geometry.stroke(dimension, number);
        const at = (line + (dimension === 0 ? stroke[1] : stroke[0])) * scale;
        const inset = 0.3 * scale;
        if (dimension === 0) {
          base.fillRect(left + inset, Math.round(top + at - wide / 2), length - 2 * inset, wide);
        } else {
          base.fillRect(Math.round(left + at - wide / 2), top + inset, wide, length - 2 * inset);
        }
      }
    }
  }

  drawLabels() {
    const {base, geometry, model, colours} = this;
    const {scale} = geometry;
    const size = Math.max(9, Math.min(12, scale * 0.28));
    base.font = size + 'px system-ui, sans-serif';
    base.fillStyle = colours.muted;
    base.textAlign = 'center';
    base.textBaseline = 'bottom';
    const step = Math.ceil(18 / scale);
    for (let plane = 0; plane < geometry.planes; plane++) {
      const left = geometry.planeX(plane);
      const top = geometry.planeY(plane);
      for (let x = 0; x < geometry.width; x += step) {
        base.fillText(x, left + (x + 0.5) * scale, top - 1);
      }
      base.textAlign = 'right';
      base.textBaseline = 'middle';
      for (let y = 0; y < geometry.height && geometry.shape.length > 1; y += step) {
        base.fillText(y, left - 3, top + (y + 0.5) * scale);
      }
      base.textAlign = 'left';
      base.textBaseline = 'bottom';
      if (geometry.planes > 1) {
        const rest = model.coordinates(plane * geometry.width * geometry.height).slice(2);
        const name = rest.map((coordinate, i) => model.dimensions[i + 2] + ' ' + coordinate).join(', ');
        base.fillStyle = colours.text;
        base.fillText(name, left, top - size - 5);
        base.fillStyle = colours.muted;
      }
      base.textAlign = 'center';
    }
  }

  drawNodes(nodes) {
    const {geometry} = this;
    const batch = new Map();
    const put = (key, ...values) => {
      const list = batch.get(key);
      if (list) {
        list.push(...values);
      } else {
        batch.set(key, values);
      }
    };
    const {scale, width, height} = {scale: geometry.scale, width: this.width, height: this.height};
    for (const node of nodes) {
      const x = geometry.x(node.node);
      const y = geometry.y(node.node);
      if (x + scale < 0 || y + scale < 0 || x > width || y > height) {
        continue;
      }
      put(node.state === 'running' ? 'node:cell-' + loadOf(node.out) : 'node:' + node.state, x, y);
      let worst = '';
      for (const link of node.links) {
        const state = this.model.stateOf(link);
        const key = state === 'good' ? 'link:link-' + loadOf(link.in_bytes_per_s + link.out_bytes_per_s) : 'link:' + state;
        const [x1, y1, x2, y2] = geometry.stroke(link.dimension, link.number);
        put(key, x + x1 * scale, y + y1 * scale, x + x2 * scale, y + y2 * scale);
        if (state !== 'good' && state !== 'absent' && worst !== 'failed' && worst !== 'down') {
          worst = state;
        }
      }
      if ((node.state === 'dead' || node.state === 'unheard') && scale < SYMBOL_SCALE) {
        put('corner:dead', x, y);
      } else if (worst && scale < SYMBOL_SCALE) {
        put('corner:' + worst, x, y);
      }
      if (scale >= LABEL_SCALE) {
        put(node.state === 'running' && loadOf(node.out) >= 3 ? 'label:card' : 'label:text', node.node, x, y);
      }
    }
    for (const kind of ['link', 'node', 'corner', 'label']) {
      for (const [key, values] of batch) {
        if (key.startsWith(kind + ':')) {
          this['draw_' + kind](key.slice(kind.length + 1), values);
        }
      }
    }
  }

  draw_link(look, values) {
    drawStrokes(this.state, this.colours, look, values, this.geometry.scale);
  }

  draw_node(look, values) {
    drawCells(this.state, this.colours, look, values, this.geometry.scale);
  }

  draw_corner(look, values) {
    const {state, geometry, colours} = this;
    const side = Math.round(geometry.scale);
    const size = Math.max(4, geometry.scale * 0.42);
    state.fillStyle = state.strokeStyle = colours[look === 'dead' ? 'failed' : look];
    state.lineWidth = 2;
    for (let i = 0; i < values.length; i += 2) {
      const [x, y] = [Math.round(values[i]), Math.round(values[i + 1])];
      state.strokeRect(x + 1, y + 1, side - 2, side - 2);
      if (look !== 'dead') {
        state.fillRect(x + side - size, y, size, size);
      }
    }
  }

  draw_label(colour, values) {
    const {state, geometry, colours} = this;
    state.fillStyle = colours[colour];
    state.font = Math.max(10, Math.min(15, geometry.scale * 0.17)) + 'px system-ui, sans-serif';
    state.textAlign = 'center';
    state.textBaseline = 'middle';
    for (let i = 0; i < values.length; i += 3) {
      state.fillText(values[i], values[i + 1] + geometry.scale / 2, values[i + 2] + geometry.scale / 2);
    }
  }

  /** The selection: a frame, and the lines on which the node is, in all dimensions. */
  drawMark() {
    const {mark, geometry, model, colours, selected} = this;
    mark.clearRect(0, 0, this.width, this.height);
    const node = model.nodes[selected.node];
    if (!node) {
      return;
    }
    const {scale} = geometry;
    const middle = id => [geometry.x(id) + scale / 2, geometry.y(id) + scale / 2];
    mark.strokeStyle = colours.select;
    mark.globalAlpha = 0.45;
    mark.lineWidth = 1;
    mark.beginPath();
    for (let dimension = 2; dimension < model.shape.length; dimension++) {
      for (let other = 0; other < model.shape[dimension]; other++) {
        const coordinates = node.coordinates.slice();
        coordinates[dimension] = other;
        const [x, y] = middle(model.id(coordinates));
        mark[other === 0 ? 'moveTo' : 'lineTo'](x, y);
      }
    }
    mark.stroke();
    mark.beginPath();
    for (let dimension = 0; dimension < model.shape.length; dimension++) {
      for (let other = 0; other < model.shape[dimension]; other++) {
        const coordinates = node.coordinates.slice();
        coordinates[dimension] = other;
        const [x, y] = middle(model.id(coordinates));
        const half = CELL / 2 * scale + 2;
        mark.rect(x - half, y - half, 2 * half, 2 * half);
      }
    }
    mark.stroke();
    mark.globalAlpha = 1;
    mark.lineWidth = scale < SYMBOL_SCALE ? 2 : 3;
    const half = CELL / 2 * scale + 3;
    const [x, y] = middle(node.node);
    mark.strokeRect(x - half, y - half, 2 * half, 2 * half);
    const link = node.links.find(each => each.link === selected.link);
    if (link) {
      const [x1, y1, x2, y2] = geometry.stroke(link.dimension, link.number);
      mark.lineWidth = 1.5;
      mark.beginPath();
      mark.arc(geometry.x(node.node) + (x1 + x2) / 2 * scale, geometry.y(node.node) + (y1 + y2) / 2 * scale, Math.max(7, 0.12 * scale), 0, 7);
      mark.stroke();
    }
  }
}

/** Strokes of links, `values` has four numbers each. The state is in their colour and in their form. */
export function drawStrokes(context, colours, look, values, scale) {
  if (scale < SYMBOL_SCALE) {
    drawBars(context, colours[look], values, Math.max(1, Math.round(scale / 9)));
    return;
  }
  const wide = Math.min(5, Math.max(2, scale / 22));
  context.strokeStyle = colours[look];
  context.lineWidth = look === 'absent' || look === 'alone' ? wide * 0.6 : wide;
  context.setLineDash(look === 'weak' ? [wide * 1.6, wide * 1.2] : look === 'alone' ? [wide * 0.7, wide * 1.3] : []);
  context.beginPath();
  for (let i = 0; i < values.length; i += 4) {
    const [x1, y1, x2, y2] = values.slice(i, i + 4);
    if (look === 'down') {
      // A gap at the bus.
      context.moveTo(x1 + (x2 - x1) * 0.62, y1 + (y2 - y1) * 0.62);
    } else {
      context.moveTo(x1, y1);
    }
    context.lineTo(x2, y2);
  }
  context.stroke();
  context.setLineDash([]);
  if (look === 'failed' || look === 'down') {
    drawSymbols(context, look, values, Math.max(3, Math.min(7, scale * 0.07)));
  } else if (look !== 'absent' && look !== 'alone') {
    // A dot where it is plugged in.
    context.fillStyle = colours[look];
    context.beginPath();
    for (let i = 0; i < values.length; i += 4) {
      context.moveTo(values[i] + wide, values[i + 1]);
      context.arc(values[i], values[i + 1], wide, 0, 7);
    }
    context.fill();
  }
}

/** Strokes as bars of whole pixels: thousands of them are drawn faster than one path of thousands of lines. */
function drawBars(context, colour, values, wide) {
  context.fillStyle = colour;
  for (let i = 0; i < values.length; i += 4) {
    const x = Math.round(Math.min(values[i], values[i + 2]) - (values[i] === values[i + 2] ? wide / 2 : 0));
    const y = Math.round(Math.min(values[i + 1], values[i + 3]) - (values[i + 1] === values[i + 3] ? wide / 2 : 0));
    context.fillRect(x, y, Math.max(wide, Math.round(Math.abs(values[i + 2] - values[i]))),
      Math.max(wide, Math.round(Math.abs(values[i + 3] - values[i + 1]))));
  }
}

/** A cross for a failed link, a bar across for one that is down. */
function drawSymbols(context, look, values, size) {
  context.lineWidth = Math.max(1.5, size * 0.45);
  context.beginPath();
  for (let i = 0; i < values.length; i += 4) {
    const [x1, y1, x2, y2] = values.slice(i, i + 4);
    const x = look === 'failed' ? (x1 + x2) / 2 : x1 + (x2 - x1) * 0.45;
    const y = look === 'failed' ? (y1 + y2) / 2 : y1 + (y2 - y1) * 0.45;
    if (look === 'failed') {
      context.moveTo(x - size, y - size);
      context.lineTo(x + size, y + size);
      context.moveTo(x + size, y - size);
      context.lineTo(x - size, y + size);
    } else {
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const dx = (y2 - y1) / length * size * 1.3;
      const dy = (x2 - x1) / length * size * 1.3;
      context.moveTo(x - dx, y + dy);
      context.lineTo(x + dx, y - dy);
    }
  }
  context.stroke();
}

/** Cells of nodes, `values` has two numbers each: the corner of the node's square. */
export function drawCells(context, colours, look, values, scale) {
  const size = CELL * scale;
  const inset = (scale - size) / 2;
  const line = Math.max(1, Math.min(2.5, scale / 24));
  if (look.startsWith('cell-')) {
    context.fillStyle = colours[look];
    // The fill of little load is too pale to be an edge.
    context.strokeStyle = look < 'cell-3' ? colours['link-0'] : colours[look];
  } else {
    context.fillStyle = colours.card;
    context.strokeStyle = look === 'dead' || look === 'unheard' ? colours.failed : look === 'stopped' ? colours.muted : colours.absent;
  }
  context.lineWidth = look === 'dead' ? line * 1.4 : line;
  if (scale < SYMBOL_SCALE) {
    drawSquares(context, look, values, inset, Math.round(size));
  } else {
    context.setLineDash(look === 'absent' ? [2, 2] : look === 'unheard' ? [5, 3] : []);
    context.beginPath();
    for (let i = 0; i < values.length; i += 2) {
      context.roundRect(values[i] + inset, values[i + 1] + inset, size, size, Math.min(6, size * 0.16));
    }
    context.fill();
    context.stroke();
    context.setLineDash([]);
  }
  if (look === 'dead') {
    // Crossed out, but around the number.
    context.beginPath();
    const arm = scale < LABEL_SCALE ? size : size * 0.27;
    for (let i = 0; i < values.length; i += 2) {
      const [x, y, far] = [values[i] + inset, values[i + 1] + inset, size];
      context.moveTo(x, y);
      context.lineTo(x + arm, y + arm);
      context.moveTo(x + far, y);
      context.lineTo(x + far - arm, y + arm);
      context.moveTo(x, y + far);
      context.lineTo(x + arm, y + far - arm);
      context.moveTo(x + far, y + far);
      context.lineTo(x + far - arm, y + far - arm);
    }
    context.stroke();
  }
}

function drawSquares(context, look, values, inset, size) {
  for (let i = 0; i < values.length; i += 2) {
    const [x, y] = [Math.round(values[i] + inset), Math.round(values[i + 1] + inset)];
    if (look.startsWith('cell-')) {
      context.fillRect(x, y, size, size);
      if (look < 'cell-3' && size > 4) {
        context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
      }
    } else {
      context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
    }
  }
}

/** The legend, drawn as the network is. */
export function drawLegend(list, palette) {
  const entries = [
    ['node', 'cell-0', ''], ['node', 'cell-1', ''], ['node', 'cell-2', ''], ['node', 'cell-3', ''],
    ['node', 'cell-4', 'node running: below 10 kB/s, 1, 10, 100 MB/s, more'], ['node', 'stopped', 'stopped'], ['node', 'dead', 'dead'],
    ['node', 'unheard', 'not heard for a while'], ['node', 'absent', 'never heard here'], ['link', 'link-2', 'link good'], ['link', 'weak', 'weak'], ['link', 'alone', 'alone'],
    ['link', 'failed', 'failed'], ['link', 'down', 'down'],
  ];
  list.replaceChildren(...entries.map(([kind, look, text]) => {
    const item = document.createElement('li');
    const canvas = document.createElement('canvas');
    const context = sized(canvas, 20, 16);
    if (kind === 'node') {
      context.translate(-5, -7);
      drawCells(context, palette, look, [0, 0], 30);
    } else {
      drawStrokes(context, palette, look, [3, 8, 18, 8], 44);
    }
    item.className = text ? '' : 'bare';
    item.append(canvas, ...(text ? [text] : []));
    return item;
  }));
}
