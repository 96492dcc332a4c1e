/**
 * The machine and the process in which a command runs: the tools of the system, what this process
 * may do, and the CPU time and memory that it uses.
 */
package io.hxb.tool.machine;
