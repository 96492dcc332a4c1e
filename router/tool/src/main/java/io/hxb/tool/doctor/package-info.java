/**
 * Examines a machine, its configuration and a running node, and explains how to fix what is wrong.
 */
package io.hxb.tool.doctor;
