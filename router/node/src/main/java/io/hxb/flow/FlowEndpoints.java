package io.hxb.flow;

/**
 * Who receives from whom: what stays the same for every frame of one receiving flow. Immutable; one
 * per flow, made when it opens.
 *
 * @param contextId destination context.
 * @param incarnation of the context that the flow is for. Another loop may have closed that context
 *     and opened its successor in the meantime, which must not get the flow's frames.
 * @param sourceNode node id of the source.
 * @param sourceContext context of the source.
 * @param flowHandle names the flow in {@link FlowPort#released}.
 */
public record FlowEndpoints(
        int contextId, int incarnation, int sourceNode, int sourceContext, int flowHandle) {}
