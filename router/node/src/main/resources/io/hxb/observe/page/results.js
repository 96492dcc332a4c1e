// Results of `hxb plan` and `hxb sim` from a local file. Nothing of the file leaves the browser.

import {drawCurves} from './chart.js';
import {element} from './tables.js';

const MAX_ROWS = 200;
const MAX_BYTES = 64 << 20;

export class Results {
  constructor() {
    this.error = '';
    this.result = null;
    this.onchange = () => {};
  }

  async load(file) {
    this.error = '';
    this.result = null;
    this.name = file.name;
    try {
      if (file.size > MAX_BYTES) {
        throw new Error('it is longer than 64 MiB');
      }
      this.result = read(await file.text());
    } catch (problem) {
      this.error = file.name + ' cannot be shown: ' + problem.message;
    }
    this.onchange();
  }

  parts() {
    const picker = element('input', {type: 'file', accept: '.json,.jsonl', ariaLabel: 'File with a result'});
    picker.onchange = () => picker.files[0] && this.load(picker.files[0]);
    const parts = [element('p', {}, 'Open a file of ', element('code', {}, 'hxb plan routes --out FILE.json'), ' (loads of channels), or of ',
      element('code', {}, 'hxb sim sweep --out FILE.json'), ' (latency by load). It stays in this browser. ', picker)];
    this.canvas = null;
    if (this.error) {
      parts.push(element('p', {className: 'badge failed'}, this.error));
    } else if (this.result?.series) {
      this.canvas = element('canvas', {className: 'wide-chart'});
      this.canvas.setAttribute('role', 'img');
      this.canvas.setAttribute('aria-label', this.result.yName + ' by ' + this.result.xName);
      parts.push(element('h3', {}, this.name), this.canvas);
    } else if (this.result?.channels) {
      parts.push(this.channels());
    }
    return parts;
  }

  /** Draws the curve, once it is in the page. */
  draw(palette) {
    if (this.canvas?.isConnected) {
      drawCurves(this.canvas, palette, this.result.series, this.result.xName, this.result.yName);
    }
  }

  channels() {
    const {channels} = this.result;
    const max = Math.max(1, channels[0].paths);
    const rows = channels.slice(0, MAX_ROWS).map(channel => element('tr', {},
      element('td', {}, channel.from + ' \u2192 ' + channel.to),
      element('td', {className: 'load load-' + Math.min(4, Math.floor(5 * channel.paths / max))}, String(channel.paths)),
      element('td', {}, element('meter', {min: 0, max, value: channel.paths}))));
    const caption = this.name + ': paths by channel, the busiest of ' + channels.length + ' first';
    return element('table', {}, element('caption', {}, caption),
      element('thead', {}, element('tr', {}, ...['Channel', 'Paths', 'Share of the busiest'].map(head => element('th', {scope: 'col'}, head)))),
      element('tbody', {}, ...rows));
  }
}

/** Reads one object, or one a line. */
function read(text) {
  let objects;
  try {
    objects = [JSON.parse(text)];
  } catch {
    objects = text.trim().split('\n').map(line => JSON.parse(line));
  }
  const channels = objects[0]?.channels;
  if (Array.isArray(channels) && channels.length && 'paths' in channels[0]) {
    return {channels: channels.slice().sort((a, b) => b.paths - a.paths)};
  }
  const series = curves(objects);
  if (!series.length) {
    throw new Error('it has neither channels with paths nor latencies by load');
  }
  return {series, xName: 'accepted load, flits a cycle and host', yName: 'mean latency, cycles'};
}

/** A curve for each series of runs, of runs that were neither saturated nor deadlocked. */
function curves(objects) {
  const named = new Map();
  const put = (name, runs) => named.set(name, (named.get(name) ?? []).concat(runs));
  for (const object of objects) {
    for (const run of Array.isArray(object?.runs) ? object.runs : []) {
      put(run.series ?? '', [run]);
    }
    for (const [name, entry] of Object.entries(object?.series ?? {})) {
      put(name, Array.isArray(entry?.runs) ? entry.runs : []);
    }
  }
  const made = [];
  for (const [name, runs] of named) {
    const points = runs.filter(run => run.accepted > 0 && run.latency_mean > 0 && !run.saturated && !run.deadlocked)
      .map(run => [run.accepted, run.latency_mean]).sort((a, b) => a[0] - b[0]);
    if (points.length) {
      made.push({name, points});
    }
  }
  return made;
}
