/** The screen of {@code hxb top}: what is shown, how keys change it, and the terminal it is on. */
package io.hxb.tool.top;
