/** A first program, as the README shows it: it needs pm-api and nothing else of this project. */
package io.hxb.example;
