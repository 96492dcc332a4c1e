/**
 * End-to-end runs: HXB and its peers take turns on the same links in the same minutes, and only
 * their ratios are compared.
 */
package io.hxb.bench.lab;
