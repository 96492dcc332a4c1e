/** What running nodes do now: samples of their counter files, and which of them are wanted. */
package io.hxb.tool.live;
