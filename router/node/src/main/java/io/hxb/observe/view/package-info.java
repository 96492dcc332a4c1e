/**
 * The network as the live page shows it: a thread reads the counter files of this machine's nodes
 * and keeps their states, their rates and the last ten minutes. Viewers get a snapshot, then what
 * changes, as bytes that are made once for all of them.
 *
 * <p>The history is always kept, since a fault is looked at after it has happened: a look at 16
 * nodes a second costs less than one percent of a CPU. Nothing here asks a node or its loops.
 */
package io.hxb.observe.view;
