// The events of the network. Reconnects by itself, with longer and longer pauses, and then gets what it has missed.

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8000;
/** The server sends something every 4 s at least. */
const SILENT_MS = 10000;

export class Stream {
  /** `handlers` has network, states and rates, which get an object each, and connection, which gets a state. */
  constructor(url, handlers) {
    this.url = url;
    this.handlers = handlers;
    this.lastId = '';
    this.pauseMs = FIRST_PAUSE_MS;
    this.heardMs = Date.now();
    setInterval(() => this.watch(), 1000);
    window.addEventListener('online', () => this.retry());
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.heardMs = Date.now();
    const last = this.lastId ? '?last=' + encodeURIComponent(this.lastId) : '';
    const source = new EventSource(this.url + last);
    this.source = source;
    for (const name of ['network', 'states', 'rates', 'alive']) {
      source.addEventListener(name, event => this.take(source, name, event));
    }
    source.onopen = () => {
      if (source === this.source) {
        this.heardMs = Date.now();
        this.pauseMs = FIRST_PAUSE_MS;
        this.handlers.connection({state: 'live'});
      }
    };
    source.onerror = () => {
      if (source === this.source) {
        this.lose();
      }
    };
  }

  take(source, name, event) {
    if (source !== this.source) {
      return;
    }
    this.heardMs = Date.now();
    this.bytes = (this.bytes || 0) + event.data.length;
    if (name !== 'alive') {
      this.lastId = event.lastEventId;
      this.handlers[name](JSON.parse(event.data));
    }
  }

  /** A connection that a router has forgotten shows no error: the silence does. */
  watch() {
    if (this.source && Date.now() - this.heardMs > SILENT_MS) {
      this.lose();
    }
  }

  lose() {
    this.source.close();
    this.source = null;
    this.handlers.connection({state: 'lost', pauseMs: this.pauseMs});
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), this.pauseMs * (0.8 + 0.4 * Math.random()));
    this.pauseMs = Math.min(MAX_PAUSE_MS, 2 * this.pauseMs);
  }

  retry() {
    if (!this.source) {
      this.open();
    }
  }
}
