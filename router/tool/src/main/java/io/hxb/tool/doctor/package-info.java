/**
 * Examines a machine, its configuration and a running node, explains how to fix what is wrong, and
 * fixes some of it when asked to.
 */
package io.hxb.tool.doctor;
