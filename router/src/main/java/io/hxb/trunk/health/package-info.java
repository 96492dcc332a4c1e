/**
 * Judges the links to the neighbours by what arrives on them, agrees with each neighbour on which
 * are used, and tells listeners of links that fail and recover.
 */
package io.hxb.trunk.health;
