/**
 * Finds the neighbours on every link by hello frames, and describes what is wrong with the cabling.
 */
package io.hxb.trunk.discovery;
