/**
 * The management server of a network: it measures what hosts send, finds the links that are busy,
 * and has the managers of hosts move pairs to other VLANs.
 */
package io.hxb.manager.control;
