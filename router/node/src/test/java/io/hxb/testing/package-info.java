/** What tests of several packages share. */
package io.hxb.testing;
