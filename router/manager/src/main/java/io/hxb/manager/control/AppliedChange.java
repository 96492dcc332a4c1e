package io.hxb.manager.control;

/**
 * A change that was made, or in a dry run would have been. Immutable.
 *
 * @param atNs when.
 * @param change which.
 */
record AppliedChange(long atNs, PathChange change) {}
