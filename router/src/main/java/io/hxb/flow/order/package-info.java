/**
 * What restores order without locks: serial numbers that wrap, the array that sorts frames of one
 * flow, and the stacks by which loops hand each other work.
 */
package io.hxb.flow.order;
