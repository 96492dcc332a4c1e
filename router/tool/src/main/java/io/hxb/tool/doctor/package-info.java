/** Examines a machine, its configuration and a running node, and says how to fix what is wrong. */
package io.hxb.tool.doctor;
