/**
 * What running nodes are doing: samples of their counter files, and the selection of nodes and
 * links.
 */
package io.hxb.observe.live;
