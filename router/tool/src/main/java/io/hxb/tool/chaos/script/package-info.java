/**
 * Which faults happen and when: read from a script and checked against the shape of a lab, or drawn
 * at random from a seed. Pure.
 */
package io.hxb.tool.chaos.script;
