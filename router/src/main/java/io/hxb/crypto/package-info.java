/**
 * Keys and codes made of them: derivation of keys, message authentication codes and authenticated
 * encryption over native memory. It knows no frames.
 */
package io.hxb.crypto;
