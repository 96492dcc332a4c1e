/**
 * The effect of faults on traffic: how long it was below what the remaining links can carry, when
 * it was back at its full rate, and the files that report it.
 */
package io.hxb.tool.chaos.result;
