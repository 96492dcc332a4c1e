/**
 * A first program, as docs/howto/java.md shows it: it needs pm-api and nothing else of this
 * project.
 */
package io.hxb.example;
