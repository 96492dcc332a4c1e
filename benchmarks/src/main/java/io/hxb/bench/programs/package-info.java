/**
 * Programs that know nothing of HXB, by the virtual NICs of a lab whose links and relays fail
 * meanwhile.
 */
package io.hxb.bench.programs;
