/** Times: deadlines, and limits for how often something may happen. */
package io.hxb.time;
