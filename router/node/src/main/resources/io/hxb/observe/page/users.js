// What users and tenants have of the nodes: everything for operators, otherwise what is one's own.

import {countText} from './model.js';
import {element, headRow} from './tables.js';

const FETCH_MS = 5000;

export class Users {
  constructor() {
    this.answer = null;
    this.fetchedMs = 0;
    this.onchange = () => {};
  }

  /** The table; asks for newer values if they are old. */
  parts() {
    if (Date.now() - this.fetchedMs > FETCH_MS) {
      this.fetchedMs = Date.now();
      this.fetch();
    }
    if (!this.answer) {
      return [element('p', {}, 'Waiting for the server.')];
    }
    const {viewer, users} = this.answer;
    const rows = users.map(({node, user, tenant, resource, held, limit, refused}) => element('tr', {},
      ...[user, tenant, resource].map(text => element('td', {}, text)),
      ...[node, held, limit, refused].map(value => element('td', {className: 'number'}, value === undefined ? '-' : countText(value)))));
    const whose = viewer === 'operator' ? 'all users and tenants' : viewer === 'public' ? '' : viewer + ' and the tenant';
    const parts = whose ? [] : [element('p', {}, 'Values of users need a session: ', element('code', {}, 'hxb web'), ' begins one, for your own values or, as an operator, for all.')];
    if (whose && !rows.length) {
      parts.push(element('p', {}, 'Nobody has anything: ' + whose + '.'));
    } else if (whose) {
      parts.push(element('table', {}, element('caption', {}, 'What ' + whose + ' have of the nodes of this machine'),
        element('tbody', {}, headRow(...['User or tenant', 'Member of', 'Resource'].map(head => element('th', {scope: 'col'}, head)),
          ...['Node', 'Held', 'Limit', 'Refused'].map(head => element('th', {scope: 'col', className: 'number'}, head)))),
        element('tbody', {}, ...rows)));
    }
    return parts;
  }

  async fetch() {
    try {
      const answer = await fetch('api/v1/users');
      // Read in any case: the browser keeps an answer whose body nobody reads.
      const body = await answer.json();
      if (answer.ok) {
        this.answer = body;
        this.onchange();
      }
    } catch {
      // The stream says that the connection is lost; what is shown stays.
    }
  }
}
