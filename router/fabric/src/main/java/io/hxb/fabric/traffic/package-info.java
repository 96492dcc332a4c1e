/**
 * Who sends how much to whom: a sparse matrix over hosts, the patterns that the literature uses,
 * and the notation of matrices in files. Does no input or output.
 */
package io.hxb.fabric.traffic;
