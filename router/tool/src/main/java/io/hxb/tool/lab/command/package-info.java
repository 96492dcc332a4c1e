/**
 * The commands of {@code hxb lab}. They are separate from the laboratories themselves, because
 * {@code hxb lab run} runs measurements and faults, which need labs.
 */
package io.hxb.tool.lab.command;
