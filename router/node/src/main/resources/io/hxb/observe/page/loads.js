// Draws the loads of channels of a result in place of the running network: by width and by colour.

import {drawCells, sized} from './drawing.js';
import {Geometry} from './geometry.js';
import {element} from './tables.js';

/** Width in pixels of a channel by fifths of the largest value. */
const WIDTHS = [1, 1.8, 2.8, 3.9, 5.2];
const BESIDE_SCALE = 34;
const LABEL_SCALE = 38;
const CLICK_PIXELS = 9;

/** A channel's load in fifths: 0 to 4. */
export function fifth(value, max) {
  return Math.max(0, Math.min(4, Math.floor(5 * value / max)));
}

/** Points in units of their own, moved and scaled. */
class PointGeometry {
  constructor(points) {
    const all = index => points.map(point => point[index]);
    [this.minX, this.minY] = [0, 1].map(index => Math.min(...all(index)) - 0.5);
    [this.width, this.height] = [0, 1].map(index => Math.max(...all(index)) + 0.5 - [this.minX, this.minY][index]);
    this.scale = 1;
    this.left = 0;
    this.top = 0;
  }

  fit(width, height) {
    this.scale = Math.min((width - 16) / this.width, (height - 16) / this.height, 150);
    this.left = (width - this.width * this.scale) / 2 - this.minX * this.scale;
    this.top = (height - this.height * this.scale) / 2 - this.minY * this.scale;
  }

  zoom(factor, x, y) {
    const scale = Math.max(3, Math.min(220, this.scale * factor));
    this.left = x - (x - this.left) * scale / this.scale;
    this.top = y - (y - this.top) * scale / this.scale;
    this.scale = scale;
  }
}

export class Loads {
  constructor(stage) {
    this.stage = stage;
    this.shown = null;
  }

  /** Shows a result's `graph`, `channels` and `max`; `live` is the geometry of the running network, which stays in use if it has the same shape. */
  show(shown, live, colours) {
    const {lattice, points} = shown.graph;
    const isSame = lattice?.isCrossbar && String(live.shape) === String(lattice.extents);
    this.shown = shown;
    this.colours = colours;
    this.channel = -1;
    this.geometry = isSame ? live : points ? new PointGeometry(points) : new Geometry(lattice.extents);
    this.order = shown.channels.map((_, i) => i).sort((a, b) => shown.channels[b].value - shown.channels[a].value || a - b);
    this.layout(!isSame);
  }

  hide() {
    this.shown = null;
  }

  layout(fits = true) {
    const [base, state, mark] = this.stage.querySelectorAll('canvas');
    this.width = this.stage.clientWidth;
    this.height = this.stage.clientHeight;
    [this.base, this.state, this.mark] = [base, state, mark].map(canvas => sized(canvas, this.width, this.height));
    if (fits) {
      this.geometry.fit(this.width, this.height);
    }
    this.request();
  }

  recolour(colours) {
    this.colours = colours;
    this.request();
  }

  request() {
    if (!this.requested) {
      this.requested = true;
      requestAnimationFrame(() => {
        this.requested = false;
        if (this.shown) {
          this.draw();
        }
      });
    }
  }

  draw() {
    const {shown: {graph, channels, max}, base, state, geometry, colours} = this;
    base.clearRect(0, 0, this.width, this.height);
    state.clearRect(0, 0, this.width, this.height);
    const isBeside = geometry.scale >= BESIDE_SCALE;
    const batches = WIDTHS.map(() => []);
    graph.links.forEach((link, i) => {
      const values = link.channels.map(channel => channels[channel].value);
      for (const line of this.lines(i)) {
        if (isBeside) {
          values.forEach((value, side) => batches[fifth(value, max)].push(beside(line, side)));
        } else {
          batches[fifth(Math.max(...values), max)].push(line);
        }
      }
    });
    state.lineCap = 'butt';
    batches.forEach((lines, level) => {
      state.strokeStyle = colours['link-' + level];
      state.lineWidth = this.wide(level);
      state.beginPath();
      lines.forEach(line => trace(state, line));
      state.stroke();
    });
    this.drawNodes();
    this.drawMark();
  }

  wide(level) {
    return WIDTHS[level] * Math.max(0.35, Math.min(1, this.geometry.scale / 60));
  }

  drawNodes() {
    const {shown: {graph}, base, state, geometry, colours} = this;
    const labels = [];
    if (graph.points) {
      const size = Math.max(2, Math.min(16, geometry.scale * (graph.lattice?.extents[2] ? 0.5 / graph.lattice.extents[2] : 0.26)));
      state.fillStyle = colours['cell-1'];
      state.strokeStyle = colours.muted;
      state.lineWidth = 1;
      graph.points.forEach((point, i) => {
        const [x, y] = this.pixel(point);
        state.fillRect(x - size / 2, y - size / 2, size, size);
        state.strokeRect(x - size / 2, y - size / 2, size, size);
        labels.push([graph.names[i], x, y - size / 2 - 7]);
      });
    } else {
      const squares = [];
      for (let node = 0; node < graph.lattice.count; node++) {
        squares.push(geometry.x(node), geometry.y(node));
        labels.push([node, geometry.x(node) + geometry.scale / 2, geometry.y(node) + geometry.scale / 2]);
      }
      drawCells(state, colours, 'cell-0', squares, geometry.scale);
      base.fillStyle = colours.bus;
      this.buses().forEach(([x, y, width, height]) => base.fillRect(x, y, width, height));
    }
    if (geometry.scale >= LABEL_SCALE && labels.length <= 600) {
      state.fillStyle = colours.text;
      state.font = '11px system-ui, sans-serif';
      state.textAlign = 'center';
      state.textBaseline = 'middle';
      labels.forEach(([text, x, y]) => state.fillText(text, x, y));
    }
  }

  /** The switches of the first two dimensions' lines. */
  buses() {
    const {geometry} = this;
    const {scale} = geometry;
    const made = [];
    for (let plane = 0; plane < geometry.planes; plane++) {
      for (let dimension = 0; dimension < Math.min(2, geometry.shape.length); dimension++) {
        const length = (dimension ? geometry.height : geometry.width) * scale - 0.6 * scale;
        for (let line = 0; line < (dimension ? geometry.width : geometry.height); line++) {
          for (let number = 0; number < geometry.links[dimension]; number++) {
            const at = (line + geometry.stroke(dimension, number)[dimension ? 0 : 1]) * scale - 1;
            const [x, y] = [geometry.planeX(plane), geometry.planeY(plane)];
            made.push(dimension ? [x + at, y + 0.3 * scale, 2, length] : [x + 0.3 * scale, y + at, length, 2]);
          }
        }
      }
    }
    return made;
  }

  pixel([x, y]) {
    return [this.geometry.left + x * this.geometry.scale, this.geometry.top + y * this.geometry.scale];
  }

  /** A link in pixels, from its first end to its second: several lines where it stands for the links of a trunk. */
  lines(index) {
    const {shown: {graph}, geometry} = this;
    if (graph.points) {
      return [graph.paths[index].map(point => this.pixel(point))];
    }
    const {a, b} = graph.links[index];
    const dimension = graph.lattice.dimension(b);
    const [x, y] = [geometry.x(a), geometry.y(a)];
    const made = [];
    for (let number = 0; number < geometry.links[dimension]; number++) {
      const [x1, y1, x2, y2] = geometry.stroke(dimension, number).map(part => part * geometry.scale);
      made.push([[x + x2, y + y2], [x + x1, y + y1]]);
    }
    return made;
  }

  drawMark() {
    const {mark, colours, shown} = this;
    mark.clearRect(0, 0, this.width, this.height);
    if (this.channel < 0) {
      return;
    }
    const side = this.channel % 2;
    mark.strokeStyle = mark.fillStyle = colours.select;
    mark.lineWidth = 3;
    for (const line of this.lines(this.channel >> 1)) {
      const shownLine = this.geometry.scale >= BESIDE_SCALE ? beside(line, side) : line;
      mark.beginPath();
      trace(mark, shownLine);
      mark.stroke();
      arrow(mark, side ? shownLine.slice().reverse() : shownLine);
    }
    if (shown.graph.points) {
      const {a, b} = shown.graph.links[this.channel >> 1];
      for (const end of [a, b]) {
        const [x, y] = this.pixel(shown.graph.points[end]);
        mark.strokeRect(x - 8, y - 8, 16, 16);
      }
    }
  }

  /** The channel at a point; -1 if there is none. */
  hit(px, py) {
    let [best, distance] = [-1, CLICK_PIXELS];
    this.shown.graph.links.forEach((_, i) => {
      for (const line of this.lines(i)) {
        for (let k = 1; k < line.length; k++) {
          const [away, isRight] = toSegment(px, py, line[k - 1], line[k]);
          if (away < distance) {
            [best, distance] = [2 * i + (isRight ? 0 : 1), away];
          }
        }
      }
    });
    return best;
  }

  /** The channel that is some steps less busy than the selected one, which is the busiest at first. */
  next(step) {
    const at = this.order.indexOf(this.channel);
    return this.order[at < 0 ? 0 : Math.max(0, Math.min(this.order.length - 1, at + step))];
  }

  select(channel) {
    this.channel = channel;
    this.request();
  }

  /** Name and value of a channel, and those of the opposite direction. */
  facts(channel) {
    const {channels, unit, max, maxName} = this.shown;
    const [one, other] = [channels[channel], channels[channel ^ 1]];
    return {
      title: one.from + ' \u2192 ' + one.to,
      rows: [[unit, one.text], ['Share of ' + maxName, (100 * one.value / max).toFixed(1) + ' %'],
        ['Rank', this.order.indexOf(channel) + 1 + ' of ' + channels.length],
        ['Opposite direction', other.text]],
    };
  }

  drawLegend(list) {
    const {unit, maxName} = this.shown;
    list.replaceChildren(...WIDTHS.map((wide, level) => {
      const canvas = document.createElement('canvas');
      const context = sized(canvas, 20, 16);
      context.strokeStyle = this.colours['link-' + level];
      context.lineWidth = wide;
      context.beginPath();
      context.moveTo(1, 8);
      context.lineTo(19, 8);
      context.stroke();
      return element('li', {}, canvas, level < 4 ? 'below ' + 20 * (level + 1) + ' %' : '80 % and more of ' + maxName);
    }), element('li', {}, unit + ', each direction at the right of its middle'));
  }
}

function trace(context, line) {
  line.forEach(([x, y], i) => context[i ? 'lineTo' : 'moveTo'](x, y));
}

/** Traffic keeps to the right: the line of one direction, some pixels beside the middle. */
function beside(line, side) {
  const [first, last] = [line[0], line[line.length - 1]];
  const length = Math.hypot(last[0] - first[0], last[1] - first[1]) || 1;
  const away = (side ? -3 : 3) / length;
  const [dx, dy] = [-(last[1] - first[1]) * away, (last[0] - first[0]) * away];
  return line.map(([x, y]) => [x + dx, y + dy]);
}

function arrow(context, line) {
  const [[x1, y1], [x2, y2]] = line.slice(-2);
  const turn = Math.atan2(y2 - y1, x2 - x1);
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  context.beginPath();
  context.moveTo(x + 8 * Math.cos(turn), y + 8 * Math.sin(turn));
  context.lineTo(x + 7 * Math.cos(turn + 2.3), y + 7 * Math.sin(turn + 2.3));
  context.lineTo(x + 7 * Math.cos(turn - 2.3), y + 7 * Math.sin(turn - 2.3));
  context.fill();
}

/** Distance of a point from a line, and whether it is at its right. */
function toSegment(px, py, [x1, y1], [x2, y2]) {
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2 || 1;
  const part = Math.max(0, Math.min(1, ((px - x1) * (x2 - x1) + (py - y1) * (y2 - y1)) / length));
  const cross = (x2 - x1) * (py - y1) - (y2 - y1) * (px - x1);
  return [Math.hypot(px - x1 - part * (x2 - x1), py - y1 - part * (y2 - y1)), cross >= 0];
}
