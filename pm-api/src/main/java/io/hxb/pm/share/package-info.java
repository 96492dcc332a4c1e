/** How destinations share what a context has of something: send buffers, operations. */
package io.hxb.pm.share;
