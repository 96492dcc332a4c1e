/**
 * What loops share without waiting for each other: serial numbers that wrap, the array that sorts
 * frames of one flow, the map of flows, and the stacks by which loops hand each other work.
 */
package io.hxb.flow.order;
