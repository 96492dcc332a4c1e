package io.hxb.tool;

/**
 * A command of another module, found by the service loader when that module is on the class path:
 * picocli's annotations say its name and options. Used by the main thread.
 */
public interface Extension {}
