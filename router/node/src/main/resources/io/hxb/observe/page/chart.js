// Small charts over time, and curves of results.

import {sized} from './drawing.js';

/** Draws lines over the last ten minutes; `lines` has a colour and values, the last value is now. */
export function drawChart(canvas, palette, lines, text, bad = []) {
  const width = canvas.clientWidth || 320;
  const height = canvas.clientHeight || 96;
  const context = sized(canvas, width, height);
  const seconds = 600;
  const [left, right, top, bottom] = [2, width - 2, 16, height - 16];
  let max = 1;
  for (const {values} of lines) {
    for (const value of values) {
      max = Math.max(max, value);
    }
  }
  context.clearRect(0, 0, width, height);
  context.font = '11px system-ui, sans-serif';
  context.strokeStyle = palette.border;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
  const x = (index, count) => right - (count - 1 - index) / (seconds - 1) * (right - left);
  // Seconds in which it was not in order, as a band.
  context.fillStyle = palette.failed;
  bad.forEach((isBad, i) => {
    if (isBad) {
      context.fillRect(x(i, bad.length) - 1, bottom - 4, 2, 4);
    }
  });
  context.lineWidth = 1.5;
  for (const {colour, values} of lines) {
    context.strokeStyle = palette[colour];
    context.beginPath();
    values.forEach((value, i) => {
      const y = bottom - 1 - value / max * (bottom - top - 4);
      context[i === 0 ? 'moveTo' : 'lineTo'](x(i, values.length), y);
    });
    context.stroke();
  }
  context.fillStyle = palette.muted;
  context.textBaseline = 'alphabetic';
  context.textAlign = 'left';
  context.fillText('max ' + text(max), left, 11);
  context.fillText('10 min ago', left, height - 3);
  context.textAlign = 'right';
  context.fillText('now', right, height - 3);
  let at = right;
  for (const {colour, name} of lines.slice().reverse()) {
    context.fillStyle = palette[colour];
    context.fillText(name, at, 11);
    at -= context.measureText(name).width + 12;
  }
}

/** Faults, repairs and other changes of the last ten minutes. */
export function drawStrip(canvas, palette, entries, nowMs) {
  const width = canvas.clientWidth || 600;
  const height = canvas.clientHeight || 52;
  const context = sized(canvas, width, height);
  const [left, right, line] = [16, width - 16, height - 20];
  context.clearRect(0, 0, width, height);
  context.strokeStyle = palette.border;
  context.lineWidth = 1;
  context.font = '11px system-ui, sans-serif';
  context.fillStyle = palette.muted;
  context.textBaseline = 'alphabetic';
  context.beginPath();
  context.moveTo(left, line + 0.5);
  context.lineTo(right, line + 0.5);
  const step = width < 500 ? 5 : 1;
  for (let minute = 0; minute <= 10; minute += step) {
    const x = Math.round(right - minute / 10 * (right - left)) + 0.5;
    context.moveTo(x, line);
    context.lineTo(x, line + 5);
    context.textAlign = minute === 0 ? 'right' : minute === 10 ? 'left' : 'center';
    context.fillText(minute === 0 ? 'now' : minute === 10 ? '10 min ago' : minute + ' min', x, height - 4);
  }
  context.stroke();
  let shown = 0;
  for (const entry of entries) {
    const x = right - (nowMs - entry.time_ms) / 600000 * (right - left);
    if (x < left) {
      continue;
    }
    shown++;
    context.fillStyle = entry.kind === 'fault' ? palette.failed : entry.kind === 'repair' ? palette.accent : palette.muted;
    context.beginPath();
    if (entry.kind === 'fault') {
      context.moveTo(x - 6, line - 14);
      context.lineTo(x + 6, line - 14);
      context.lineTo(x, line - 3);
    } else if (entry.kind === 'repair') {
      context.moveTo(x - 6, line - 3);
      context.lineTo(x + 6, line - 3);
      context.lineTo(x, line - 14);
    } else {
      context.arc(x, line - 8, 4, 0, 7);
    }
    context.fill();
  }
  context.fillStyle = palette.muted;
  context.textAlign = 'left';
  context.fillText(shown ? '\u25bc fault  \u25b2 repair  \u25cf started or stopped' : 'No fault in the last ten minutes', left, 13);
}

/** Curves with axes: each of `series` has a name and points, pairs of numbers. */
export function drawCurves(canvas, palette, series, xName, yName) {
  const width = canvas.clientWidth || 600;
  const height = canvas.clientHeight || 260;
  const context = sized(canvas, width, height);
  const [left, right, top, bottom] = [64, width - 16, 24, height - 36];
  const all = series.flatMap(each => each.points);
  const maxX = all.reduce((max, point) => Math.max(max, point[0]), 1e-9);
  const maxY = all.reduce((max, point) => Math.max(max, point[1]), 1e-9);
  const x = value => left + value / maxX * (right - left);
  const y = value => bottom - value / maxY * (bottom - top);
  context.clearRect(0, 0, width, height);
  context.font = '12px system-ui, sans-serif';
  context.lineWidth = 1;
  context.textBaseline = 'middle';
  for (let i = 0; i <= 4; i++) {
    context.strokeStyle = palette.border;
    context.beginPath();
    context.moveTo(left, y(maxY * i / 4));
    context.lineTo(right, y(maxY * i / 4));
    context.stroke();
    context.fillStyle = palette.muted;
    context.textAlign = 'right';
    context.fillText(short(maxY * i / 4), left - 6, y(maxY * i / 4));
    context.textAlign = i === 4 ? 'right' : 'center';
    context.fillText(short(maxX * i / 4), x(maxX * i / 4), bottom + 12);
  }
  context.textAlign = 'center';
  context.fillText(xName, (left + right) / 2, height - 8);
  context.textAlign = 'left';
  context.fillText(yName, 4, 9);
  const looks = ['accent', 'out', 'down', 'alone', 'failed', 'text'];
  series.forEach(({name, points}, i) => drawCurve(context, {name, colour: palette[looks[i % looks.length]], dash: i},
    points.map(point => [x(point[0]), y(point[1])])));
}

/** One curve, its name beside the last point; curves differ in colour, dashes and the form of their points. */
function drawCurve(context, {name, colour, dash}, points) {
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = 2;
  context.setLineDash([[], [6, 3], [2, 3]][dash % 3]);
  context.beginPath();
  points.forEach(([px, py], i) => context[i === 0 ? 'moveTo' : 'lineTo'](px, py));
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  for (const [px, py] of points) {
    if (dash % 2) {
      context.rect(px - 3, py - 3, 6, 6);
    } else {
      context.moveTo(px + 3, py);
      context.arc(px, py, 3, 0, 7);
    }
  }
  context.fill();
  const [px, py] = points[points.length - 1];
  context.textAlign = 'right';
  context.fillText(name, px - 6, py - 9);
}

function short(value) {
  return value >= 1000 ? Math.round(value).toString() : Number(value.toPrecision(3)).toString();
}
