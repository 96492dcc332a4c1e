/**
 * The routes that a source chooses around failed hops. Without failures the table of affected
 * destinations is empty, and senders do not look further.
 */
package io.hxb.flow.route;
