/**
 * The ends of a message benchmark as programs of their own: the same loops over HXB's PM API and
 * over Aeron's UDP transport.
 */
package io.hxb.bench.message;
