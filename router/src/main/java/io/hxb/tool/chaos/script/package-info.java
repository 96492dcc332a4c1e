/**
 * What shall fail, and when: faults as people write them, checked against the shape of a lab, or
 * drawn at random from a seed. Pure.
 */
package io.hxb.tool.chaos.script;
