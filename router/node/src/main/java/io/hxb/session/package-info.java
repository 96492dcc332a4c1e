/**
 * The sessions of a node with every other node: the keys by which frames between them are sealed,
 * and which frames have been received before.
 */
package io.hxb.session;
