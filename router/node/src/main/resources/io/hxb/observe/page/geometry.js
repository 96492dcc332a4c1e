// Where nodes and links are: each node has a square of its own, planes of two dimensions stand side by side.

export const CELL = 0.46;
/** Around the planes for numbers, and between them, in squares of nodes; and the pixels that text needs at least. */
const MARGIN = 0.55;
const GAP = 0.9;
const TEXT_PIXELS = 17;

export class Geometry {
  constructor(shape) {
    this.shape = shape;
    this.width = shape[0] || 1;
    this.height = shape[1] || 1;
    this.planes = shape.slice(2).reduce((product, extent) => product * extent, 1);
    this.columns = 1;
    this.links = shape.map(() => 1);
    this.scale = 1;
    this.left = 0;
    this.top = 0;
  }

  /** How many links a node has in each dimension. */
  count(links) {
    this.links = this.shape.map(() => 1);
    for (const link of links) {
      this.links[link.dimension] = Math.max(this.links[link.dimension], link.number + 1);
    }
  }

  /** Fits everything into a canvas of `width` times `height` pixels. */
  fit(width, height) {
    let best = 0;
    for (let columns = 1; columns <= this.planes; columns++) {
      const rows = Math.ceil(this.planes / columns);
      const text = this.text();
      const scale = Math.min((width - columns * text - 8) / (columns * (this.width + GAP)),
        (height - rows * text - 8) / (rows * (this.height + GAP)));
      if (scale > best) {
        best = scale;
        this.columns = columns;
      }
    }
    this.scale = Math.min(best, 150);
    const rows = Math.ceil(this.planes / this.columns);
    this.left = (width - this.columns * this.stepX()) / 2 + MARGIN * this.scale + this.text();
    this.top = (height - rows * this.stepY()) / 2 + MARGIN * this.scale + this.text();
  }

  /** Pixels for numbers beside a plane: two lines above it if planes have names. */
  text() {
    return this.planes > 1 ? 1.6 * TEXT_PIXELS : TEXT_PIXELS;
  }

  stepX() {
    return (this.width + GAP) * this.scale + this.text();
  }

  stepY() {
    return (this.height + GAP) * this.scale + this.text();
  }

  zoom(factor, x, y) {
    const scale = Math.max(3, Math.min(220, this.scale * factor));
    this.left = x - (x - this.left) * scale / this.scale;
    this.top = y - (y - this.top) * scale / this.scale;
    this.scale = scale;
  }

  planeX(plane) {
    return this.left + (plane % this.columns) * this.stepX();
  }

  planeY(plane) {
    return this.top + Math.floor(plane / this.columns) * this.stepY();
  }

  /** Left edge of a node's square. */
  x(node) {
    return this.planeX(Math.floor(node / (this.width * this.height))) + (node % this.width) * this.scale;
  }

  /** Upper edge of a node's square. */
  y(node) {
    const plane = this.width * this.height;
    return this.planeY(Math.floor(node / plane)) + Math.floor(node % plane / this.width) * this.scale;
  }

  /** Where the stroke of a link begins (at its bus) and ends (at its node), in parts of the node's square. */
  stroke(dimension, number) {
    const count = this.links[dimension];
    const half = CELL / 2;
    const spread = (number - (count - 1) / 2) * Math.min(0.14, CELL / count);
    const bus = 0.06 + number * Math.min(0.07, 0.14 / count);
    if (dimension === 0) {
      return [0.5 + spread, bus, 0.5 + spread, 0.5 - half];
    }
    if (dimension === 1) {
      return [bus, 0.5 + spread, 0.5 - half, 0.5 + spread];
    }
    // Further dimensions leave the plane, to the right.
    const along = (dimension - 2) * 0.2 + (number - (count - 1) / 2) * Math.min(0.14, CELL / count);
    return [0.94, 0.5 + along, 0.5 + half, 0.5 + along];
  }

  /** Node, and perhaps link, at a point. */
  hit(px, py, nodes) {
    const column = Math.floor((px - this.left) / this.stepX());
    const row = Math.floor((py - this.top) / this.stepY());
    const plane = row * this.columns + column;
    if (column < 0 || column >= this.columns || row < 0 || plane >= this.planes) {
      return null;
    }
    const x = (px - this.planeX(plane)) / this.scale;
    const y = (py - this.planeY(plane)) / this.scale;
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) {
      return null;
    }
    const node = plane * this.width * this.height + Math.floor(y) * this.width + Math.floor(x);
    return nodes[node] ? {node, link: this.linkAt(nodes[node], x % 1, y % 1)} : null;
  }

  linkAt(node, x, y) {
    if (this.scale < 24 || (Math.abs(x - 0.5) < CELL / 2 && Math.abs(y - 0.5) < CELL / 2)) {
      return null;
    }
    let best = null;
    let distance = 0.1;
    for (const link of node.links) {
      const away = toLine(x, y, this.stroke(link.dimension, link.number));
      if (away < distance) {
        distance = away;
        best = link;
      }
    }
    return best;
  }
}

function toLine(x, y, [x1, y1, x2, y2]) {
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  const part = Math.max(0, Math.min(1, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length));
  return Math.hypot(x - x1 - part * (x2 - x1), y - y1 - part * (y2 - y1));
}
