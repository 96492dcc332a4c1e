package io.hxb.node.loop;

/** Called when a descriptor is ready. Called by the thread of the loop it is registered with. */
@FunctionalInterface
public interface ReadinessListener {
    /** The descriptor is ready; an error makes it both readable and writable. */
    void onReady(boolean isReadable, boolean isWritable);
}
