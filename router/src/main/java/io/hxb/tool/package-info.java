/** The command line: one class a command, thin; what they do lies in the sub-packages. */
package io.hxb.tool;
