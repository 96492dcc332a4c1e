// Results of `hxb plan` and `hxb sim` from a local file. Nothing of the file leaves the browser.

import {drawCurves} from './chart.js';
import {MAX_DRAWN, graphOf} from './graph.js';
import {fifth} from './loads.js';
import {element, headRow} from './tables.js';

const MAX_ROWS = 200;
const MAX_BYTES = 64 << 20;
const PART_BYTES = 4 << 20;
const PATHS = '],"paths":[';

export class Results {
  constructor() {
    this.error = '';
    this.result = null;
    this.run = 0;
    this.onchange = () => {};
    /** Called with what is to be drawn, or null; and with a channel that is chosen in the table. */
    this.onshow = () => {};
    this.onchannel = () => {};
  }

  async load(file) {
    this.error = '';
    this.result = null;
    this.run = 0;
    this.name = file.name;
    try {
      this.result = read(await beginning(file));
    } catch (problem) {
      this.error = file.name + ' cannot be shown: ' + problem.message;
    }
    this.show();
    this.onchange();
  }

  /** Draws the loads of the chosen run, if there are some. */
  show() {
    const run = this.result?.drawings[this.run];
    if (run) {
      run.graph ??= graphOf(run.channels, run.spec);
    }
    this.onshow(run && !run.graph.tooLarge ? run : null);
  }

  parts() {
    const picker = element('input', {type: 'file', accept: '.json,.jsonl', ariaLabel: 'File with a result'});
    picker.onchange = () => picker.files[0] && this.load(picker.files[0]);
    const parts = [element('p', {}, 'Open a file of ', element('code', {}, 'hxb plan routes --out FILE.json'), ' (paths of channels), or of ',
      element('code', {}, 'hxb sim sweep --out FILE.json'), ' (latency by load, loads of channels). It stays in this browser. ', picker)];
    this.canvas = null;
    if (this.error) {
      parts.push(element('p', {className: 'badge failed'}, this.error));
    } else if (this.result?.series) {
      this.canvas = element('canvas', {className: 'wide-chart'});
      this.canvas.setAttribute('role', 'img');
      this.canvas.setAttribute('aria-label', this.result.yName + ' by ' + this.result.xName);
      parts.push(element('h3', {}, this.name), this.canvas);
    }
    const run = this.result?.drawings[this.run];
    if (run) {
      parts.push(...this.runs(run), this.channels(run));
    }
    return parts;
  }

  /** Which run is drawn, and what cannot be. */
  runs({graph}) {
    const {drawings} = this.result;
    const again = element('button', {type: 'button', onclick: () => this.show()}, 'Draw the channels in the network');
    const parts = graph.tooLarge
      ? [element('p', {}, 'Networks of more than ' + MAX_DRAWN + ' switches are not drawn; this one has ' + graph.tooLarge + '.')]
      : [element('p', {}, again)];
    if (drawings.length > 1) {
      const list = element('select', {ariaLabel: 'Run whose channels are drawn'},
        ...drawings.map(({name}, i) => element('option', {value: i, selected: i === this.run}, name)));
      list.onchange = () => {
        this.run = Number(list.value);
        this.show();
        this.onchange();
      };
      parts.unshift(element('p', {}, 'Run ', list));
    }
    return parts;
  }

  /** Draws the curve, once it is in the page. */
  draw(palette) {
    if (this.canvas?.isConnected) {
      drawCurves(this.canvas, palette, this.result.series, this.result.xName, this.result.yName);
    }
  }

  channels({channels, unit, max, maxName, graph}) {
    const order = channels.map((_, i) => i).sort((a, b) => channels[b].value - channels[a].value || a - b);
    const rows = order.slice(0, MAX_ROWS).map(i => {
      const {from, to, value, text} = channels[i];
      const name = from + ' \u2192 ' + to;
      const opener = graph.tooLarge ? name : element('button', {type: 'button', onclick: () => this.onchannel(i)}, name);
      return element('tr', {}, element('td', {}, opener), element('td', {className: 'load load-' + fifth(value, max)}, text),
        element('td', {}, element('meter', {min: 0, max, value, ariaLabel: 'share of ' + maxName})));
    });
    const caption = this.name + ': ' + unit.toLowerCase() + ' by channel, the busiest of ' + channels.length + ' first';
    return element('table', {}, element('caption', {}, caption),
      element('tbody', {}, headRow(...['Channel', unit, 'Share of ' + maxName].map(head => element('th', {scope: 'col'}, head)))),
      element('tbody', {}, ...rows));
  }
}

/** The text of a file. The paths of `hxb plan routes`, which come last and may have hundreds of megabytes, are left out. */
async function beginning(file) {
  let text = '';
  const decoder = new TextDecoder();
  for (let at = 0; at < file.size; at += PART_BYTES) {
    if (at >= MAX_BYTES) {
      throw new Error('it is longer than 64 MiB');
    }
    const from = Math.max(0, text.length - PATHS.length);
    text += decoder.decode(await file.slice(at, at + PART_BYTES).arrayBuffer(), {stream: true});
    const end = text.indexOf(PATHS, from);
    if (end >= 0) {
      return text.slice(0, end + 1) + '}';
    }
  }
  return text;
}

/** Reads one object, or one a line. */
function read(text) {
  let objects;
  try {
    objects = [JSON.parse(text)];
  } catch {
    objects = text.trim().split('\n').map(line => JSON.parse(line));
  }
  const {channels, graph} = objects[0] ?? {};
  if (Array.isArray(channels) && channels.length && 'paths' in channels[0]) {
    const max = channels.reduce((most, channel) => Math.max(most, channel.paths), 1);
    return {drawings: [{name: '', unit: 'Paths', max, maxName: 'the busiest', spec: graph,
      channels: channels.map(({from, to, paths}) => ({from, to, value: paths, text: String(paths)}))}]};
  }
  const series = curves(objects);
  const drawings = objects.flatMap(object => runsOf(object).map(([name, run]) => drawingOf(name, run, object.graph))).filter(Boolean);
  if (!series.length && !drawings.length) {
    throw new Error('it has neither channels with paths nor latencies by load');
  }
  return {series: series.length ? series : null, drawings, xName: 'accepted load, flits a cycle and host', yName: 'mean latency, cycles'};
}

/** Pairs of the name of a series and a run of it. */
function runsOf(object) {
  const runs = (Array.isArray(object?.runs) ? object.runs : []).map(run => [run.series ?? '', run]);
  for (const [name, entry] of Object.entries(object?.series ?? {})) {
    runs.push(...(Array.isArray(entry?.runs) ? entry.runs : []).map(run => [name, run]));
  }
  return runs;
}

/** The loads of a run's channels; null if it has none. */
function drawingOf(name, run, spec) {
  const keys = Object.keys(run.channel_loads ?? {});
  const channels = keys.map((key, i) => {
    const [from, to] = ends(key.replace(/#\d+$/, ''), keys[i ^ 1]?.replace(/#\d+$/, ''));
    const value = Number(run.channel_loads[key]);
    return {from, to, value, text: value.toFixed(3)};
  });
  return channels.length && channels.length % 2 === 0
    ? {name: name + ' at ' + run.load, unit: 'Load in flits a cycle', max: 1, maxName: 'the capacity', spec, channels} : null;
}

/** The two names in `from>to`: names may have such a sign, too, so that the opposite direction decides. */
function ends(key, opposite) {
  for (let at = key.indexOf('>'); at >= 0; at = key.indexOf('>', at + 1)) {
    const [from, to] = [key.slice(0, at), key.slice(at + 1)];
    if (to + '>' + from === opposite) {
      return [from, to];
    }
  }
  return key.split('>', 2);
}

/** A curve for each series of runs, of runs that were neither saturated nor deadlocked. */
function curves(objects) {
  const named = new Map();
  for (const [name, run] of objects.flatMap(runsOf)) {
    named.set(name, (named.get(name) ?? []).concat([run]));
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
