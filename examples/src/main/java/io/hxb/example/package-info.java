/** A first program, as docs/api.md shows it: it needs pm-api and nothing else of this project. */
package io.hxb.example;
