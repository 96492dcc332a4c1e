/**
 * Lets cables and nodes of a lab fail, really: filters in the kernel, ports that go down, shapers,
 * signals to processes; and mends them again.
 */
package io.hxb.tool.chaos.fault;
