/**
 * The sessions of a node with every other: by which keys frames between them are sealed, and which
 * have been received before.
 */
package io.hxb.session;
