/**
 * The network manager of a host: programs set and reset the paths of its pairs, read what was sent
 * over which VID, and see its NICs. Source: VFREC-Net, section 3.
 *
 * <p>Route calls of MPI programs act on their own host only, over its Unix socket, and are not
 * collective. They need no key, no connection between hosts and no communication, so their cost
 * does not grow with the job. Managers count traffic, because PMPI does not see what collective
 * operations send.
 */
package io.hxb.manager;
