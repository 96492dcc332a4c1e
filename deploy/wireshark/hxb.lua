-- Frames of HXB for Wireshark and tshark 4.0 or newer: Ethernet frames of the two EtherTypes, with and without VLAN tags, frames that
-- raw links send as UDP or TCP over IPv4, and the datagrams of UDP links.
--
-- Install:  mkdir -p ~/.local/lib/wireshark/plugins && cp deploy/wireshark/hxb.lua ~/.local/lib/wireshark/plugins/
--
-- Every field that a layout of io.hxb.frame has stands in a row below, with the name of its accessor there. A test compares the rows with
-- the layouts, and the values with those of frames that HXB wrote.

local hxb = Proto("hxb", "HXB frame")

local DATA, ACK, HELLO, LINK_STATUS, UNREACHABLE, OPEN, ACCEPT, PROBE, MISCONFIGURATION, SESSION, CLOSE, CLOSED, ENDED, FRAGMENT, MISSING, TRACE, TRACED, SUMMARY, LINK_STATE, BUSY =
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
local types = {
  [DATA] = "DATA", [ACK] = "ACK", [HELLO] = "HELLO", [LINK_STATUS] = "LINK_STATUS", [UNREACHABLE] = "UNREACHABLE", [OPEN] = "OPEN",
  [ACCEPT] = "ACCEPT", [PROBE] = "PROBE", [MISCONFIGURATION] = "MISCONFIGURATION", [SESSION] = "SESSION", [CLOSE] = "CLOSE",
  [CLOSED] = "CLOSED", [ENDED] = "ENDED", [FRAGMENT] = "FRAGMENT", [MISSING] = "MISSING",
  [TRACE] = "TRACE", [TRACED] = "TRACED", [SUMMARY] = "SUMMARY", [LINK_STATE] = "LINK_STATE", [BUSY] = "BUSY",
}
local reasons = {
  [1] = "NO_ROUTE", [2] = "NO_SUCH_CONTEXT", [3] = "STALE_INCARNATION", [4] = "HOP_LIMIT", [5] = "NO_FLOWS", [6] = "NOT_ALLOWED",
}
local kinds = {
  [1] = "DUPLICATE_COORDINATE", [2] = "WRONG_LINE", [3] = "WRONG_DIMENSION", [4] = "WRONG_LINK_NUMBER", [5] = "OTHER_CLUSTER",
  [6] = "OTHER_FINGERPRINT", [7] = "OTHER_VERSION", [8] = "MTU_DIFFERS", [9] = "OTHER_KEY",
  [10] = "DUPLICATE_ADDRESS",
}
local operations = {
  [1] = "PUT", [2] = "PUT_NOTIFY", [3] = "GET", [4] = "ADD", [5] = "SWAP", [7] = "PING", [16] = "DATA", [17] = "DONE",
}
local stays = { [1] = "RELAYED", [2] = "RELAYED_IN_KERNEL", [3] = "ARRIVED", [4] = "NOT_RELAYED" }
local entries = { [1] = "record", [2] = "acknowledgement" }
local modes = { [1] = "authenticates", [2] = "encrypts" }

local HEADER, VERSION, SEAL, RECORD, REMOTE = 64, 5, 24, 8, 56
local CRC_FLAG, SEALED_FLAG, KNOWN_FLAGS = 1, 32, 127
local MAX_SHARED, MAX_FRAME, MAX_WEIGHT, MAX_LINKS, MAX_UPPER_HOPS, MAX_NODE = 9216 - HEADER, 131071, 64, 64, 4095, 254

-- name, accessor of the layout, type, title, and what the type needs: base, names of values, mask
local rows = {
  { "version", "FrameHeader.version", "uint8", "Version", base.DEC },
  { "type", "FrameHeader.type", "uint8", "Type", base.DEC, types },
  { "flags", "FrameHeader.flags", "uint8", "Flags", base.HEX },
  { "hop_limit", "FrameHeader.hopLimit", "uint8", "Hop limit", base.DEC },
  { "order", "FrameHeader.order", "uint32", "Dimension order or detour", base.HEX },
  { "cluster", "FrameHeader.clusterId", "uint32", "Cluster id", base.HEX },
  { "source.incarnation", "FrameHeader.sourceIncarnation", "uint32", "Incarnation of the source", base.HEX },
  { "source", "FrameHeader.source", "string", "Source" },
  { "destination", "FrameHeader.destination", "string", "Destination" },
  { "destination.incarnation", "FrameHeader.destinationIncarnation", "uint32", "Incarnation of the destination", base.HEX },
  { "source.context", "FrameHeader.sourceContext", "uint16", "Source context", base.DEC },
  { "destination.context", "FrameHeader.destinationContext", "uint16", "Destination context", base.DEC },
  { "sequence", "FrameHeader.sequence", "uint32", "Sequence", base.DEC },
  { "acknowledgement", "FrameHeader.acknowledgement", "uint32", "Acknowledgement", base.DEC },
  { "window", "FrameHeader.windowFrames", "uint16", "Window in frames", base.DEC },
  { "epoch", "FrameHeader.epoch", "uint16", "Epoch", base.DEC },
  { "body.length", "FrameHeader.bodyLength", "uint32", "Length of the body", base.DEC, nil, 0x3ffff },
  { "messages", "FrameHeader.messageCount", "uint32", "Messages", base.DEC, nil, 0xfffc0000 },
  { "crc", "FrameHeader.crc", "uint32", "CRC-32C", base.HEX },
  { "acknowledged_epoch", "FrameHeader.acknowledgedEpoch", "uint16", "Epoch that is acknowledged", base.DEC },
  { "route", "FrameHeader.route", "uint16", "Upper part of the detour", base.HEX },
  { "open.tenant", "TenantField.ofOpen", "uint32", "Tenant that asks", base.HEX },
  { "accept.tenant", "TenantField.ofAccept", "uint32", "Tenant that answers", base.HEX },
  { "hello.version", "Hello.protocolVersion", "uint16", "Version of the protocol", base.DEC },
  { "hello.dimension", "Hello.dimension", "uint8", "Dimension of the port", base.DEC },
  { "hello.link", "Hello.linkNumber", "uint8", "Link number of the port", base.DEC },
  { "hello.fingerprint", "Hello.fingerprint", "uint32", "Fingerprint of the cluster file", base.HEX },
  { "hello.node", "Hello.node", "uint32", "Node", base.DEC },
  { "hello.incarnation", "Hello.incarnation", "uint32", "Incarnation of the node", base.HEX },
  { "hello.shape", "Hello.shape", "uint64", "Shape, extent - 1 a byte", base.HEX },
  { "hello.dimensions", "Hello.dimensions", "uint8", "Dimensions", base.DEC },
  { "hello.mtu", "Hello.mtuBytes", "uint32", "MTU of the port", base.DEC },
  { "hello.receiver", "Hello.receiver", "string", "For" },
  { "hello.key", "Hello.keyId", "uint32", "First key", base.HEX },
  { "hello.other_key", "Hello.otherKeyId", "uint32", "Second key", base.HEX },
  { "hello.name", "Hello.name", "string", "Host" },
  { "status.asking", "LinkStatus.isAsking", "bool", "Asks for an answer", 8, nil, 0x01 },
  { "status.waited", "LinkStatus.waitedNs", "uint8", "Longest wait for a CPU, units of 2 ms", base.DEC, nil, 0xfe },
  { "status.dimension", "LinkStatus.dimension", "uint8", "Dimension", base.DEC },
  { "status.link", "LinkStatus.linkNumber", "uint8", "Sent over link", base.DEC },
  { "status.links", "LinkStatus.links", "uint8", "Links", base.DEC },
  { "status.beat", "LinkStatus.beat", "uint32", "Heartbeat", base.DEC },
  { "status.neighbour", "LinkStatus.neighbour", "string", "For" },
  { "status.sequence", "LinkStatus.sequence", "uint32", "Sequence of the report", base.DEC },
  { "status.acknowledgement", "LinkStatus.acknowledgement", "uint32", "Report acknowledged", base.DEC },
  { "status.failed", "LinkStatus.failed", "uint64", "Failed links, a bit each", base.HEX },
  { "status.sent", "LinkStatus.sentFrames", "uint32", "Frames sent", base.DEC },
  { "status.weight", "LinkStatus.weight", "uint8", "Weight", base.DEC },
  { "record.length", "MessageRecord.payloadLength", "uint32", "Length of the message", base.DEC },
  { "record.tag", "MessageRecord.tag", "uint32", "Tag", base.HEX },
  { "misconfiguration.kind", "Misconfiguration.kind", "uint8", "Kind", base.DEC, kinds },
  { "misconfiguration.dimension", "Misconfiguration.dimension", "uint8", "Dimension", base.DEC },
  { "misconfiguration.link", "Misconfiguration.linkNumber", "uint8", "Link number", base.DEC },
  { "misconfiguration.other_dimension", "Misconfiguration.otherDimension", "uint8", "Dimension reported", base.DEC },
  { "misconfiguration.other_link", "Misconfiguration.otherLinkNumber", "uint8", "Link number reported", base.DEC },
  { "misconfiguration.coordinates", "Misconfiguration.coordinates", "string", "Reporting node" },
  { "misconfiguration.other_coordinates", "Misconfiguration.otherCoordinates", "string", "Node reported" },
  { "misconfiguration.value", "Misconfiguration.value", "uint32", "Value", base.DEC_HEX },
  { "misconfiguration.other_value", "Misconfiguration.otherValue", "uint32", "Value reported", base.DEC_HEX },
  { "session.key", "Session.keyId", "uint32", "Key of the session", base.HEX },
  { "session.other_key", "Session.otherKeyId", "uint32", "Other key", base.HEX },
  { "session.flags", "Session.flags", "uint8", "Flags (1 asks, 2 established)", base.HEX },
  { "session.mode", "Session.mode", "uint8", "Mode", base.DEC, modes },
  { "session.sealing", "Session.sealingSession", "uint32", "Session that seals", base.HEX },
  { "session.nonce", "Session.nonce", "bytes", "Nonce" },
  { "session.echo", "Session.echo", "bytes", "Nonce heard" },
  { "session.receiver", "Session.receiver", "string", "For" },
  { "ended.type", "Ended.answeredType", "uint8", "Type that is answered, 0 = unasked", base.DEC, types },
  { "ended.open_again", "Ended.isOpenAgain", "bool", "The context is open again", 8, nil, 0x01 },
  { "ended.lost", "Ended.hasLost", "bool", "Some messages were not released", 8, nil, 0x02 },
  { "ended.first", "Ended.firstSequence", "uint32", "First sequence that is reported", base.DEC },
  { "ended.seen", "Ended.seenTo", "uint16", "Frames from there to the last that arrived", base.DEC },
  { "ended.run.first", "Ended.runFirst", "uint16", "First of the run", base.DEC },
  { "ended.run.frames", "Ended.runFrames", "uint16", "Frames of the run", base.DEC },
  { "ended.run.messages", "Ended.runMessagesLeft", "uint16", "Messages of each that were not released", base.DEC },
  { "unreachable.reason", "Unreachable.reason", "uint8", "Reason", base.DEC, reasons },
  { "unreachable.type", "Unreachable.failedType", "uint8", "Type of the frame", base.DEC, types },
  { "unreachable.incarnation", "Unreachable.failedIncarnation", "uint32", "Incarnation of the frame's destination", base.HEX },
  { "unreachable.destination", "Unreachable.failedDestination", "uint32", "Node of the frame's destination", base.DEC },
  { "unreachable.route", "Unreachable.failedRoute", "uint32", "Route of the frame, lower part", base.HEX },
  { "fragment.number", "Fragment.number", "uint32", "Number of the long frame", base.DEC },
  { "fragment.frame_length", "Fragment.frameBytes", "uint32", "Length of the long frame", base.DEC, nil, 0x1ffff },
  { "fragment.offset", "Fragment.offset", "uint32", "Offset in the long frame", base.DEC },
  { "missing.number", "Missing.number", "uint32", "Number of the long frame", base.DEC },
  { "missing.offset", "Missing.offset", "uint32", "Offset", base.DEC },
  { "missing.length", "Missing.lengthBytes", "uint32", "Bytes", base.DEC },
  { "trace.number", "Trace.number", "uint64", "Number of the traced frame", base.HEX },
  { "traced.kind", "Traced.kind", "uint8", "What became of it", base.DEC, stays },
  { "traced.hop_limit", "Traced.hopLimit", "uint8", "Hop limit on arrival", base.DEC },
  { "traced.arrived_on", "Traced.arrivedOn", "uint16", "Arrived on link", base.DEC },
  { "traced.left_on", "Traced.leftOn", "uint16", "Left on link, 65535 = none", base.DEC },
  { "busy.destination", "Busy.destination", "uint64", "Destination of the frame that took it", base.HEX },
  { "busy.route", "Busy.route", "uint64", "Route", base.HEX },
  { "traced.stay", "Traced.stayNs", "uint64", "Ns there", base.DEC },
  { "summary.node", "Summary.node", "uint32", "Node", base.DEC },
  { "summary.generation", "Summary.generation", "uint32", "Generation", base.DEC },
  { "summary.sequence", "Summary.sequence", "uint32", "Number of the summary", base.DEC },
  { "summary.age", "Summary.ageMs", "uint32", "Age, ms", base.DEC },
  { "summary.links", "Summary.links", "uint8", "Links, 0 = the node lives", base.DEC },
  { "summary.stopped", "Summary.isStopped", "bool", "The node has stopped in order", 8, nil, 0x01 },
  { "summary.exclusions", "Summary.exclusions", "uint8", "Exclusions", base.DEC },
  { "summary.start", "Summary.startS", "uint32", "Start, seconds since 1970", base.DEC },
  { "summary.rate", "Summary.rate", "uint16", "Messages sent, delivered, frames relayed, sent again; a second, 11 bits shifted by 5", base.HEX },
  { "summary.told", "Summary.toldSequence", "uint32", "Number of the summary that told this", base.DEC },
  { "summary.link.dimension", "Summary.dimension", "uint8", "Dimension", base.DEC },
  { "summary.link.number", "Summary.number", "uint8", "Link number", base.DEC },
  { "summary.link.up", "Summary.isUp", "bool", "Frames can pass its NIC", 8, nil, 0x01 },
  { "summary.link.weight", "Summary.weightPercent", "uint8", "Weight, percent", base.DEC },
  { "summary.link.neighbours", "Summary.neighbours", "uint16", "Neighbours heard", base.DEC },
  { "summary.link.failed", "Summary.failedNeighbours", "uint16", "Neighbours excluded", base.DEC },
  { "summary.link.mtu", "Summary.mtuBytes", "uint32", "MTU", base.DEC },
  { "summary.link.failures", "Summary.failures", "uint16", "Failures", base.DEC },
  { "summary.link.recoveries", "Summary.recoveries", "uint16", "Recoveries", base.DEC },
  { "summary.link.reason", "Summary.reason", "uint8", "Last reason", base.DEC },
  { "summary.excluded.link", "Summary.excludedLink", "uint8", "Index of the link", base.DEC },
  { "summary.excluded.coordinate", "Summary.excludedCoordinate", "uint8", "Coordinate of the neighbour", base.DEC },
  { "summary.excluded.reason", "Summary.excludedReason", "uint8", "Reason", base.DEC },
  { "summary.name", "Summary.name", "string", "Host" },
  { "link_state.kind", "LinkState.kind", "uint8", "Kind", base.DEC, entries },
  { "link_state.node", "LinkState.node", "uint8", "Node", base.DEC },
  { "link_state.identity", "LinkState.identity", "uint64", "Identity of the node", base.HEX },
  { "link_state.generation", "LinkState.generation", "uint32", "Generation", base.DEC },
  { "link_state.sequence", "LinkState.sequence", "uint32", "Number of the record", base.DEC },
  { "link_state.incarnation", "LinkState.incarnation", "uint32", "Incarnation of the node", base.HEX },
  { "link_state.age", "LinkState.ageMs", "uint32", "Age, ms", base.DEC },
  { "link_state.stopped", "LinkState.isStopped", "bool", "The node has stopped in order", 8, nil, 0x01 },
  { "link_state.adjacencies", "LinkState.adjacencies", "uint8", "Adjacencies", base.DEC },
  { "link_state.neighbour", "LinkState.neighbour", "uint8", "Neighbour", base.DEC },
  { "link_state.links", "LinkState.linkCount", "uint8", "Good links", base.DEC },
  { "link_state.mtu", "LinkState.mtuBytes", "uint16", "Smallest MTU", base.DEC },
  { "link_state.capacity", "LinkState.capacityMbps", "uint32", "Capacity, Mbit/s", base.DEC },
  { "link_state.name", "LinkState.name", "string", "Host" },
  { "remote.kind", "RemoteRecord.kind", "uint8", "Operation", base.DEC, operations },
  { "remote.last", "RemoteRecord.isLast", "bool", "Last part", 8, nil, 0x01 },
  { "remote.status", "RemoteRecord.status", "int32", "Status", base.DEC },
  { "remote.operation", "RemoteRecord.operation", "uint64", "Number of the operation", base.HEX },
  { "remote.key", "RemoteRecord.key", "uint64", "Key of the region, or value before", base.HEX },
  { "remote.offset", "RemoteRecord.offset", "uint64", "Offset", base.DEC },
  { "remote.length", "RemoteRecord.lengthBytes", "uint64", "Length", base.DEC },
  { "remote.first", "RemoteRecord.first", "uint64", "Tag, number to add, or expected value", base.HEX },
  { "remote.second", "RemoteRecord.second", "uint64", "New value, or length of all", base.HEX },
  { "seal.mark", "Seal.mark", "uint8", "Mark of the session", base.DEC },
  { "seal.loop", "Seal.loop", "uint8", "Sending loop", base.DEC },
  { "seal.count", "Seal.count", "uint64", "Number of the frame", base.DEC },
  { "seal.key", "Seal.keyId", "uint32", "Key of the cluster that seals", base.HEX },
  { "seal.tag", "Seal.tag", "bytes", "Tag" },
  -- What no layout of io.hxb.frame has.
  { "flow", "", "string", "Flow, both directions" },
  { "flag.crc", "", "bool", "CRC", 8, nil, 0x01 },
  { "flag.ack", "", "bool", "Acknowledges", 8, nil, 0x02 },
  { "flag.ack_now", "", "bool", "Acknowledge without delay", 8, nil, 0x04 },
  { "flag.again", "", "bool", "Sent before", 8, nil, 0x08 },
  { "flag.sparse", "", "bool", "Sparse", 8, nil, 0x10 },
  { "flag.sealed", "", "bool", "Sealed", 8, nil, 0x20 },
  { "flag.close", "", "bool", "Close if idle", 8, nil, 0x40 },
  { "open.nonce", "", "uint32", "Number that answers must have", base.HEX },
  { "ack.bitmap", "", "bytes", "Frames that arrived beyond the acknowledgement, a bit each" },
  { "summary.link.rate", "", "uint16", "Bytes in, out, frames in, out, dropped; a second, 11 bits shifted by 5", base.HEX },
  { "payload", "", "bytes", "Payload" },
  { "encrypted", "", "bytes", "Encrypted body" },
  { "segment.number", "", "uint32", "Number of the frame", base.DEC },
  { "segment.frame_length", "", "uint32", "Length of the frame", base.DEC },
  { "segment.offset", "", "uint32", "Offset in the frame", base.DEC },
  { "segment.asking", "", "bool", "Requests an acknowledgement", 8, nil, 0x08 },
  { "segment.probe", "", "bool", "Probe", 8, nil, 0x10 },
  { "segment.answer", "", "bool", "Acknowledgement", 8, nil, 0x20 },
  { "segment.for_node", "", "bool", "Kernels leave it to the node", 8, nil, 0x40 },
  { "long.fragments", "", "uint32", "Pieces of the long frame", base.DEC },
  { "long.bytes", "", "uint32", "Bytes of the long frame that were captured", base.DEC },
  { "long.gap", "", "uint32", "Bytes before this piece that were not captured so far", base.DEC },
  { "long.doubled", "", "bool", "This piece was captured before" },
  { "long.joined_in", "", "framenum", "Joined in" },
  { "probe.source", "", "string", "Probe of" },
  { "probe.heard", "", "bytes", "Neighbours from whom probes arrive, a bit each" },
  { "refused", "", "string", "A node refuses this frame" },
}

local F, list = {}, {}
for _, row in ipairs(rows) do
  local name, kind, title, shown = "hxb." .. row[1], row[3], row[4], row[5]
  local field
  if kind == "string" or kind == "bytes" or kind == "framenum" then
    field = ProtoField[kind](name, title)
  else
    field = ProtoField[kind](name, title, shown, row[6], row[7])
  end
  F[row[1]] = field
  list[#list + 1] = field
end
hxb.fields = list

local refusedExpert = ProtoExpert.new("hxb.refused.expert", "A node refuses this frame", expert.group.MALFORMED, expert.severity.ERROR)
hxb.experts = { refusedExpert }

hxb.prefs.ether_type = Pref.uint("EtherType", 0x88b5, "frame.etherType of the cluster file, in decimal; also the port of frames by IP")
hxb.prefs.relay_ether_type = Pref.uint("EtherType of relayed frames", 0x88b6, "frame.relayEtherType of the cluster file, in decimal")
hxb.prefs.udp_ports = Pref.range("UDP ports", "", "ports of UDP links; without any, frames are recognised by their header", 65535)

-- What hellos of the capture say of each cluster: number of dimensions and extents. Frames before the first hello show three dimensions.
local shapes = {}

-- Long frames whose pieces are being joined, the oldest first in `open`; what was found about each piece, for when a frame is shown again;
-- and the bytes of frames that are joined and kept. Pieces that wait are bounded by the number of frames, what is kept by its bytes.
local MAX_OPEN, MAX_KEPT_BYTES, MAX_AGE_S = 256, 67108864, 10
local joins, open, found, keptBytes = {}, {}, {}, 0
-- The captured frame that is dissected.
local packet

function hxb.init()
  shapes, joins, open, found, keptBytes = {}, {}, {}, {}, 0
end

-- Relays forward pieces from other addresses than they came from, so that each hop has its own. Fields of other protocols, such as the name
-- of the interface, are not there in the first pass over a file.
local function beginPacket(pinfo)
  local hop = table.concat({ tostring(pinfo.dl_src), tostring(pinfo.dl_dst), tostring(pinfo.src), tostring(pinfo.dst) }, " ")
  packet = { number = pinfo.number, time = tonumber(pinfo.abs_ts), pieces = 0, hop = hop .. " " .. pinfo.src_port .. " " .. pinfo.dst_port }
end

-- Adds the bytes of a piece that no earlier one had, and returns how many there are.
local function addBytes(pieces, offset, bytes)
  local at, last, fresh, new = offset, offset + #bytes, {}, 0
  for _, piece in ipairs(pieces) do
    if piece.from >= last then
      break
    elseif piece.to > at then
      if piece.from > at then
        fresh[#fresh + 1] = { from = at, to = piece.from }
      end
      at = piece.to
    end
  end
  if at < last then
    fresh[#fresh + 1] = { from = at, to = last }
  end
  for _, piece in ipairs(fresh) do
    piece.bytes = bytes:sub(piece.from - offset + 1, piece.to - offset)
    new = new + piece.to - piece.from
    pieces[#pieces + 1] = piece
  end
  table.sort(pieces, function(a, b) return a.from < b.from end)
  return new
end

local function bytesBefore(pieces, offset)
  local sum = 0
  for _, piece in ipairs(pieces) do
    sum = sum + math.max(0, math.min(piece.to, offset) - piece.from)
  end
  return sum
end

local function openJoin(key, frame)
  local join = { key = key, frame = frame, pieces = {}, there = 0, count = 0 }
  joins[key] = join
  open[#open + 1] = join
  if #open > MAX_OPEN then
    local oldest = table.remove(open, 1)
    oldest.pieces = nil
    if joins[oldest.key] == oldest then
      joins[oldest.key] = nil
    end
  end
  return join
end

local function complete(join)
  local parts = {}
  for i, piece in ipairs(join.pieces) do
    parts[i] = piece.bytes
  end
  join.last, join.pieces = packet.number, nil
  return table.concat(parts)
end

-- What a piece does for its frame. "captured" bytes of its "reported" bytes are there, from "at".
local function findPiece(key, frame, offset, tvb, at, captured, reported)
  local join = joins[key]
  if not join or not join.pieces and not join.last or join.frame ~= frame or packet.time - join.time > MAX_AGE_S then
    join = openJoin(key, frame)
  end
  join.time = packet.time
  local piece = { join = join }
  if join.last then
    piece.doubled = true
    return piece
  end
  join.count = join.count + 1
  join.isCut = join.isCut or captured < reported
  piece.gap = offset - bytesBefore(join.pieces, offset)
  local new = captured > 0 and addBytes(join.pieces, offset, tvb(at, captured):raw()) or 0
  piece.doubled = captured > 0 and new == 0
  join.there = join.there + new
  if join.there == frame and not join.isCut then
    piece.bytes = complete(join)
  end
  return piece
end

-- Joins a piece of a long frame to those before it. Returns the whole frame as a tvb if this is the last one, and what to say about it.
local function joinPiece(tree, origin, number, frame, offset, tvb, at, captured, reported)
  packet.pieces = packet.pieces + 1
  local place = packet.number .. ":" .. packet.pieces
  local known = found[place]
  local piece = known or findPiece(packet.hop .. " " .. origin .. " " .. number, frame, offset, tvb, at, captured, reported)
  found[place] = piece
  local join, bytes = piece.join, piece.bytes
  if bytes and not known then
    keptBytes = keptBytes + #bytes
    piece.bytes = keptBytes <= MAX_KEPT_BYTES and bytes or nil
  end
  if piece.doubled then
    tree:add(F["long.doubled"], tvb(at, captured), true):set_generated()
  elseif piece.gap and piece.gap > 0 then
    tree:add(F["long.gap"], tvb(at, captured), piece.gap):set_generated()
  end
  if join.last and join.last ~= packet.number then
    tree:add(F["long.joined_in"], tvb(at, captured), join.last):set_generated()
  elseif join.last and not piece.doubled then
    tree:add(F["long.fragments"], tvb(at, captured), join.count):set_generated()
    tree:add(F["long.bytes"], tvb(at, captured), join.there):set_generated()
    local text = "[HXB reassembled: " .. join.count .. " fragments, " .. join.there .. " bytes"
    return bytes and ByteArray.new(bytes, true):tvb("Long frame"), text .. (bytes and "]" or "; no longer kept]")
  elseif known and not join.last then
    tree:add(F["long.bytes"], tvb(at, captured), join.there):set_generated()
    return nil, "[never complete: " .. join.there .. " of " .. frame .. " bytes" .. (join.isCut and ", cut by the capture]" or "]")
  end
  return nil, piece.doubled and "[doubled]" or piece.gap and piece.gap > 0 and "[" .. piece.gap .. " bytes before it missing]" or nil
end

local function u8(tvb, at)
  return tvb(at, 1):uint()
end

local function u16(tvb, at)
  return tvb(at, 2):le_uint()
end

local function u32(tvb, at)
  return tvb(at, 4):le_uint()
end

local function coordinates(tvb, at, cluster)
  local bytes, last, all = {}, 0, true
  for dimension = 0, 7 do
    bytes[dimension + 1] = u8(tvb, at + dimension)
    all = all and bytes[dimension + 1] == 255
    if bytes[dimension + 1] ~= 0 then
      last = dimension + 1
    end
  end
  if all then
    return "all"
  end
  local shape = shapes[cluster]
  return table.concat(bytes, ",", 1, math.max(last, shape and shape.dimensions or 3))
end

-- A cursor over a frame or a body that is perhaps cut: adds only what is there.
local function reader(tvb, tree, cluster)
  local self = { length = tvb:len() }
  function self.has(at, bytes)
    return at >= 0 and bytes > 0 and at + bytes <= self.length
  end
  function self.add(name, at, bytes, into)
    if self.has(at, bytes) then
      return (into or tree):add_le(F[name], tvb(at, bytes))
    end
  end
  function self.place(name, at, into)
    if self.has(at, 8) then
      (into or tree):add(F[name], tvb(at, 8), coordinates(tvb, at, cluster))
    end
  end
  return self
end

local crcTable = {}
for i = 0, 255 do
  local crc = i
  for _ = 1, 8 do
    crc = bit.band(crc, 1) == 1 and bit.bxor(bit.rshift(crc, 1), 0x82f63b78) or bit.rshift(crc, 1)
  end
  crcTable[i] = crc
end

-- Source: RFC 3720 appendix B.4. Hop limit, route and the CRC itself count as 0.
local function crc32c(bytes)
  local crc = bit.bnot(0)
  for i = 1, #bytes do
    local at = i - 1
    local isZero = at == 3 or (at >= 4 and at < 8) or (at >= 56 and at < 60) or at == 62 or at == 63
    local byte = isZero and 0 or bytes:byte(i)
    crc = bit.bxor(crcTable[bit.band(bit.bxor(crc, byte), 255)], bit.rshift(crc, 8))
  end
  return bit.bnot(crc) % 4294967296
end

local function isPermutation(order)
  local seen = {}
  for _ = 1, 8 do
    local dimension = order % 16
    if dimension > 7 or seen[dimension] then
      return false
    end
    seen[dimension] = true
    order = math.floor(order / 16)
  end
  return true
end

-- The hops of detours are not checked.
local function routeProblem(tvb)
  local order, upper = u32(tvb, 4), u16(tvb, 62)
  if order >= 2147483648 then
    return nil
  end
  if upper ~= 0 then
    return "RESERVED"
  end
  -- With any cabling the lowest byte differs from that of the usual order by the first hop.
  local isFirstHop = math.floor(order / 256) == 0x765432
  return not isFirstHop and not isPermutation(order) and "ORDER" or nil
end

local function isInShape(tvb, at, shape)
  for dimension = 0, 7 do
    if u8(tvb, at + dimension) > shape.last[dimension] then
      return false
    end
  end
  return true
end

local function isForAll(tvb)
  for at = 24, 31 do
    if u8(tvb, at) ~= 255 then
      return false
    end
  end
  return true
end

local function areCoordinatesValid(tvb, kind, cluster)
  if kind == HELLO or kind == MISCONFIGURATION then
    return true
  end
  local shape = shapes[cluster]
  if isForAll(tvb) then
    return (kind == LINK_STATUS or kind == SESSION) and (not shape or isInShape(tvb, 16, shape))
  end
  return not shape or (isInShape(tvb, 16, shape) and isInShape(tvb, 24, shape))
end

local function padded(bytes)
  return math.floor((RECORD + bytes + 7) / 8) * 8
end

-- True if exactly that many message records lie in the body, and nothing else.
local function areRecordsValid(tvb, at, length, messages)
  local offset = 0
  for message = 1, messages do
    local rest = length - offset - RECORD
    if rest < 0 then
      return false
    end
    local payload = u32(tvb, at + offset)
    if payload > rest then
      return false
    end
    offset = offset + (message == messages and RECORD + payload or padded(payload))
  end
  return offset == length
end

-- Bytes of a valid record of a SUMMARY of at most `rest` bytes; nil if it is not valid.
local function summaryBytes(tvb, at, rest)
  if rest < 20 then
    return nil
  end
  local length, links = u16(tvb, at + 16), u8(tvb, at + 18)
  if length > rest or u32(tvb, at + 12) > 86400000 or u8(tvb, at + 19) > 1 then
    return nil
  elseif links == 0 then
    return length == 20 and u8(tvb, at + 19) == 0 and length or nil
  elseif length < 40 then
    return nil
  end
  local exclusions, name = u8(tvb, at + 20), u8(tvb, at + 21)
  local places = at + 40 + 28 * links
  local names = places + 4 * exclusions
  local last = names + math.floor((name + 3) / 4) * 4
  if exclusions > 32 or name > 32 or u16(tvb, at + 22) ~= 0 or length ~= last - at then
    return nil
  end
  for link = at + 40, places - 28, 28 do
    if u8(tvb, link + 2) > 1 or u8(tvb, link + 3) > 100 or u8(tvb, link + 11) > 127 or u8(tvb, link + 17) ~= 0 then
      return nil
    end
  end
  for place = places, names - 4, 4 do
    if u8(tvb, place) >= links or u8(tvb, place + 3) ~= 0 then
      return nil
    end
  end
  for byte = names + name, last - 1 do
    if u8(tvb, byte) ~= 0 then
      return nil
    end
  end
  return length
end

-- True if the adjacencies of a LINK_STATE record, and what is after its host name, are valid.
local function areAdjacenciesValid(tvb, at, adjacencies, name, bytes)
  local last, names = -1, at + 32 + 8 * adjacencies
  for adjacency = at + 32, names - 8, 8 do
    local neighbour = u8(tvb, adjacency)
    if neighbour <= last or neighbour > MAX_NODE or neighbour == u8(tvb, at + 3) or u8(tvb, adjacency + 1) == 0 then
      return false
    end
    last = neighbour
  end
  for byte = names + name, at + bytes - 1 do
    if u8(tvb, byte) ~= 0 then
      return false
    end
  end
  return true
end

-- Bytes of a valid entry of a LINK_STATE of at most `rest` bytes; nil if it is not valid.
local function entryBytes(tvb, at, rest)
  if rest < 24 then
    return nil
  end
  local length, kind = u16(tvb, at), u8(tvb, at + 2)
  if length > rest or u8(tvb, at + 3) > MAX_NODE then
    return nil
  elseif kind == 2 then
    return length == 24 and length or nil
  elseif kind ~= 1 or length < 32 or u32(tvb, at + 24) > 100000 or u8(tvb, at + 28) > 1 or u8(tvb, at + 31) ~= 0 then
    return nil
  end
  local adjacencies, name = u8(tvb, at + 29), u8(tvb, at + 30)
  if adjacencies > 64 or name > 32 or length ~= 32 + 8 * adjacencies + math.floor((name + 3) / 4) * 4 then
    return nil
  end
  return areAdjacenciesValid(tvb, at, adjacencies, name, length) and length or nil
end

-- True if a body is a row of records, of which `bytesOf` gives the length of each.
local function isRow(tvb, length, bytesOf)
  local offset = 0
  while offset < length do
    local bytes = bytesOf(tvb, HEADER + offset, length - offset)
    if not bytes then
      return false
    end
    offset = offset + bytes
  end
  return length > 0
end

local bodyChecks = {
  [HELLO] = function(tvb, length)
    return length >= 48 and u8(tvb, HEADER + 25) <= 64 and 48 + u8(tvb, HEADER + 25) <= length
  end,
  [LINK_STATUS] = function(tvb, length)
    local links = length >= 32 and u8(tvb, HEADER + 3) or 0
    if links < 1 or links > MAX_LINKS or length < 32 + 5 * links or u8(tvb, HEADER + 2) >= links then
      return false
    end
    for link = links, 63 do
      if bit.band(u8(tvb, HEADER + 24 + math.floor(link / 8)), bit.lshift(1, link % 8)) ~= 0 then
        return false
      end
    end
    for link = 0, links - 1 do
      local weight = u8(tvb, HEADER + 32 + 4 * links + link)
      if weight < 1 or weight > MAX_WEIGHT then
        return false
      end
    end
    return true
  end,
  [MISCONFIGURATION] = function(tvb, length)
    return length >= 32 and kinds[u8(tvb, HEADER)] ~= nil
  end,
  [SESSION] = function(tvb, length)
    return length == 56 and u8(tvb, HEADER + 8) <= 3 and u16(tvb, HEADER + 10) == 0
  end,
  [FRAGMENT] = function(tvb, length)
    local place = u32(tvb, 56)
    local frame = place % 131072
    local rest = frame - math.floor(place / 131072) * 8 - length
    return frame >= HEADER and length > 0 and rest >= 0 and (rest == 0 or length % 8 == 0)
  end,
  [MISSING] = function(tvb, length)
    if length == 0 or length % 8 ~= 0 or length > 256 then
      return false
    end
    local last = 0
    for at = HEADER, HEADER + length - 8, 8 do
      local offset, bytes = u32(tvb, at), u32(tvb, at + 4)
      if offset < last or offset % 8 ~= 0 or offset > MAX_FRAME or bytes == 0 or bytes > MAX_FRAME - offset then
        return false
      end
      last = offset + bytes
    end
    return true
  end,
  [TRACE] = function(tvb, length)
    return length >= 16
  end,
  [TRACED] = function(tvb, length)
    return length == 16 and stays[u8(tvb, HEADER)] ~= nil and u16(tvb, HEADER + 6) == 0 and u8(tvb, HEADER + 15) < 128
  end,
  [SUMMARY] = function(tvb, length)
    return isRow(tvb, length, summaryBytes)
  end,
  [LINK_STATE] = function(tvb, length)
    return isRow(tvb, length, entryBytes)
  end,
  [BUSY] = function(tvb, length)
    return length == 16 and u16(tvb, HEADER + 14) == 0
  end,
  [ENDED] = function(tvb, length)
    if length % 8 ~= 0 or length > 128 or u8(tvb, 50) > BUSY or u8(tvb, 51) > 3 then
      return false
    end
    local last, seen = 0, u16(tvb, 48)
    for at = HEADER, HEADER + length - 8, 8 do
      local first, frames = u16(tvb, at), u16(tvb, at + 2)
      if first < last or frames == 0 or first + frames > seen or u16(tvb, at + 4) == 0 or u16(tvb, at + 6) ~= 0 then
        return false
      end
      last = first + frames
    end
    return true
  end,
}

local function isBodyValid(tvb, kind, length, messages)
  if kind == DATA then
    return messages > 0 and (messages == 1 or length <= MAX_SHARED) and areRecordsValid(tvb, HEADER, length, messages)
  end
  if kind == UNREACHABLE then
    local reason = u8(tvb, 48)
    local isOfRelay = reason == 1 or reason == 4
    return length == 0 and reasons[reason] ~= nil and types[u8(tvb, 49)] ~= nil and messages <= (isOfRelay and MAX_UPPER_HOPS or 0)
  end
  if messages ~= 0 then
    return false
  end
  local check = bodyChecks[kind]
  return check == nil or check(tvb, length)
end

-- Why a node drops the frame: a name of DropReason, in the order in which FrameValidator looks; nil if it does not, or if that cannot be
-- known because the capture has not all of the frame.
local function refusal(tvb, arrived, hopLimit)
  if arrived < HEADER then
    return "TOO_SHORT"
  end
  if tvb:len() < HEADER then
    return nil
  end
  if u8(tvb, 0) ~= VERSION then
    return "VERSION"
  end
  local kind, flags, word = u8(tvb, 1), u8(tvb, 2), u32(tvb, 52)
  local length, messages = word % 262144, math.floor(word / 262144)
  local isSealed = bit.band(flags, SEALED_FLAG) ~= 0
  local total = HEADER + length + (isSealed and SEAL or 0)
  if total > arrived then
    return "LENGTH"
  end
  if hopLimit == 0 then
    return "HOP_LIMIT"
  end
  local isWhole = total <= tvb:len()
  local isOpen = isWhole and (not isSealed or kind ~= DATA or areRecordsValid(tvb, HEADER, length, messages))
  if isOpen and bit.band(flags, CRC_FLAG) ~= 0 and crc32c(tvb:raw(0, HEADER + length)) ~= u32(tvb, 56) then
    return "CRC"
  end
  if not types[kind] then
    return "TYPE"
  end
  if flags > KNOWN_FLAGS or (flags ~= 0 and kind == FRAGMENT) then
    return "FLAGS"
  end
  local problem = routeProblem(tvb)
  if problem then
    return problem
  end
  if not areCoordinatesValid(tvb, kind, u32(tvb, 8)) then
    return "COORDINATES"
  end
  if isOpen and not isBodyValid(tvb, kind, length, messages) then
    return "BODY"
  end
end

local function addRemote(read, tree, tvb, at, length)
  if length < REMOTE or not read.has(at, REMOTE) then
    return nil
  end
  local part = tree:add(hxb, tvb(at, REMOTE), "Remote memory")
  read.add("remote.kind", at, 1, part)
  read.add("remote.last", at + 1, 1, part)
  read.add("remote.status", at + 4, 4, part)
  read.add("remote.operation", at + 8, 8, part)
  read.add("remote.key", at + 16, 8, part)
  read.add("remote.offset", at + 24, 8, part)
  read.add("remote.length", at + 32, 8, part)
  read.add("remote.first", at + 40, 8, part)
  read.add("remote.second", at + 48, 8, part)
  return operations[u8(tvb, at)]
end

-- The messages of a data frame, as far as they are there. Flows whose destination context has 1 or 2 in its two highest bits carry
-- operations on remote memory.
local function addRecords(read, tree, tvb, at, length, messages)
  local isRemote = math.floor(u16(tvb, 38) / 16384) == 1 or math.floor(u16(tvb, 38) / 16384) == 2
  local note
  local last = at + length
  for message = 1, messages do
    if at + RECORD > last or not read.has(at, RECORD) then
      return note
    end
    local payload = u32(tvb, at)
    local there = math.max(0, math.min(payload, last - at - RECORD, read.length - at - RECORD))
    local part = tree:add(hxb, tvb(at, RECORD + there), "Message " .. message)
    read.add("record.length", at, 4, part)
    read.add("record.tag", at + 4, 4, part)
    local remote = isRemote and addRemote(read, part, tvb, at + RECORD, there)
    local skipped = remote and REMOTE or 0
    read.add("payload", at + RECORD + skipped, there - skipped, part)
    note = note or remote
    at = at + padded(payload)
  end
  return note
end

local function addHello(read, tree, tvb, length, cluster)
  read.add("hello.version", HEADER, 2)
  read.add("hello.dimension", HEADER + 2, 1)
  read.add("hello.link", HEADER + 3, 1)
  read.add("hello.fingerprint", HEADER + 4, 4)
  read.add("hello.node", HEADER + 8, 4)
  read.add("hello.incarnation", HEADER + 12, 4)
  read.add("hello.shape", HEADER + 16, 8)
  read.add("hello.dimensions", HEADER + 24, 1)
  read.add("hello.mtu", HEADER + 28, 4)
  read.place("hello.receiver", HEADER + 32)
  read.add("hello.key", HEADER + 40, 4)
  read.add("hello.other_key", HEADER + 44, 4)
  if not read.has(HEADER, 48) or length < 48 then
    return nil
  end
  local name = math.min(u8(tvb, HEADER + 25), read.length - HEADER - 48)
  local dimensions = u8(tvb, HEADER + 24)
  if dimensions >= 1 and dimensions <= 8 and not shapes[cluster] then
    local shape = { dimensions = dimensions, last = {} }
    for dimension = 0, 7 do
      shape.last[dimension] = u8(tvb, HEADER + 16 + dimension)
    end
    shapes[cluster] = shape
  end
  if name > 0 then
    tree:add(F["hello.name"], tvb(HEADER + 48, name))
    return "node " .. u32(tvb, HEADER + 8) .. " (" .. tvb(HEADER + 48, name):string() .. ")"
  end
  return "node " .. u32(tvb, HEADER + 8)
end

local function addStatus(read, tree, tvb)
  read.add("status.asking", HEADER, 1)
  read.add("status.waited", HEADER, 1)
  read.add("status.dimension", HEADER + 1, 1)
  read.add("status.link", HEADER + 2, 1)
  read.add("status.links", HEADER + 3, 1)
  read.add("status.beat", HEADER + 4, 4)
  read.place("status.neighbour", HEADER + 8)
  read.add("status.sequence", HEADER + 16, 4)
  read.add("status.acknowledgement", HEADER + 20, 4)
  read.add("status.failed", HEADER + 24, 8)
  if not read.has(HEADER, 32) then
    return nil
  end
  local links = math.min(u8(tvb, HEADER + 3), MAX_LINKS)
  for link = 0, links - 1 do
    read.add("status.sent", HEADER + 32 + 4 * link, 4)
    read.add("status.weight", HEADER + 32 + 4 * links + link, 1)
  end
  return "link " .. u8(tvb, HEADER + 2) .. " of " .. links .. ", beat " .. u32(tvb, HEADER + 4)
end

local function addMisconfiguration(read, tree, tvb)
  read.add("misconfiguration.kind", HEADER, 1)
  read.add("misconfiguration.dimension", HEADER + 1, 1)
  read.add("misconfiguration.link", HEADER + 2, 1)
  read.add("misconfiguration.other_dimension", HEADER + 3, 1)
  read.add("misconfiguration.other_link", HEADER + 4, 1)
  read.place("misconfiguration.coordinates", HEADER + 8)
  read.place("misconfiguration.other_coordinates", HEADER + 16)
  read.add("misconfiguration.value", HEADER + 24, 4)
  read.add("misconfiguration.other_value", HEADER + 28, 4)
  return read.has(HEADER, 1) and kinds[u8(tvb, HEADER)] or nil
end

local function addSession(read, tree, tvb)
  read.add("session.key", HEADER, 4)
  read.add("session.other_key", HEADER + 4, 4)
  read.add("session.flags", HEADER + 8, 1)
  read.add("session.mode", HEADER + 9, 1)
  read.add("session.sealing", HEADER + 12, 4)
  read.add("session.nonce", HEADER + 16, 16)
  read.add("session.echo", HEADER + 32, 16)
  read.place("session.receiver", HEADER + 48)
end

local function addEnded(read, tree, tvb, length)
  read.add("ended.first", 44, 4)
  read.add("ended.seen", 48, 2)
  read.add("ended.type", 50, 1)
  read.add("ended.open_again", 51, 1)
  read.add("ended.lost", 51, 1)
  for at = HEADER, HEADER + math.min(length, 128) - 8, 8 do
    read.add("ended.run.first", at, 2)
    read.add("ended.run.frames", at + 2, 2)
    read.add("ended.run.messages", at + 4, 2)
  end
end

local function addUnreachable(read, tree, tvb)
  local reason = u8(tvb, 48)
  read.add("unreachable.reason", 48, 1)
  read.add("unreachable.type", 49, 1)
  if reason == 1 or reason == 4 then
    read.add("unreachable.destination", 44, 4)
    read.add("unreachable.route", 12, 4)
  else
    read.add("unreachable.incarnation", 44, 4)
  end
  return (reasons[reason] or "reason " .. reason) .. " for " .. (types[u8(tvb, 49)] or "type " .. u8(tvb, 49))
end

local function addMissing(read, tree, tvb, length)
  read.add("missing.number", 44, 4)
  for at = HEADER, HEADER + math.min(length, 256) - 8, 8 do
    read.add("missing.offset", at, 4)
    read.add("missing.length", at + 4, 4)
  end
  return "frame " .. u32(tvb, 44)
end

local function addTraced(read, tree, tvb)
  read.add("traced.kind", HEADER, 1)
  read.add("traced.hop_limit", HEADER + 1, 1)
  read.add("traced.arrived_on", HEADER + 2, 2)
  read.add("traced.left_on", HEADER + 4, 2)
  read.add("traced.stay", HEADER + 8, 8)
  return read.has(HEADER, 1) and stays[u8(tvb, HEADER)] or nil
end

local function addSummaryLink(read, tree, tvb, at)
  read.add("summary.link.dimension", at, 1, tree)
  read.add("summary.link.number", at + 1, 1, tree)
  read.add("summary.link.up", at + 2, 1, tree)
  read.add("summary.link.weight", at + 3, 1, tree)
  read.add("summary.link.neighbours", at + 4, 2, tree)
  read.add("summary.link.failed", at + 6, 2, tree)
  read.add("summary.link.mtu", at + 8, 4, tree)
  read.add("summary.link.failures", at + 12, 2, tree)
  read.add("summary.link.recoveries", at + 14, 2, tree)
  read.add("summary.link.reason", at + 16, 1, tree)
  for rate = at + 18, at + 26, 2 do
    read.add("summary.link.rate", rate, 2, tree)
  end
end

-- The records, as far as they are there.
local function addSummary(read, tree, tvb, length)
  local at, last, records = HEADER, HEADER + length, 0
  while at + 20 <= last and read.has(at, 20) do
    local bytes, links = u16(tvb, at + 16), u8(tvb, at + 18)
    if bytes < 20 or (links > 0 and bytes < 40) or at + bytes > last or not read.has(at, bytes) then
      break
    end
    local part = tree:add(hxb, tvb(at, bytes), "Node " .. u32(tvb, at))
    read.add("summary.node", at, 4, part)
    read.add("summary.generation", at + 4, 4, part)
    read.add("summary.sequence", at + 8, 4, part)
    read.add("summary.age", at + 12, 4, part)
    read.add("summary.links", at + 18, 1, part)
    if links > 0 then
      local exclusions, name = u8(tvb, at + 20), u8(tvb, at + 21)
      local places = at + 40 + 28 * links
      read.add("summary.stopped", at + 19, 1, part)
      read.add("summary.exclusions", at + 20, 1, part)
      read.add("summary.start", at + 24, 4, part)
      for rate = at + 28, at + 34, 2 do
        read.add("summary.rate", rate, 2, part)
      end
      read.add("summary.told", at + 36, 4, part)
      if places + 4 * exclusions + name <= at + bytes then
        for link = at + 40, places - 28, 28 do
          addSummaryLink(read, part:add(hxb, tvb(link, 28), "Link"), tvb, link)
        end
        for place = places, places + 4 * exclusions - 4, 4 do
          read.add("summary.excluded.link", place, 1, part)
          read.add("summary.excluded.coordinate", place + 1, 1, part)
          read.add("summary.excluded.reason", place + 2, 1, part)
        end
        if name > 0 then
          read.add("summary.name", places + 4 * exclusions, name, part)
        end
      end
    end
    at = at + bytes
    records = records + 1
  end
  return records .. " nodes"
end

local function addAdjacency(read, tree, at)
  read.add("link_state.neighbour", at, 1, tree)
  read.add("link_state.links", at + 1, 1, tree)
  read.add("link_state.mtu", at + 2, 2, tree)
  read.add("link_state.capacity", at + 4, 4, tree)
end

-- The entries, as far as they are there.
local function addLinkState(read, tree, tvb, length)
  local at, last, count = HEADER, HEADER + length, 0
  while at + 24 <= last and read.has(at, 24) do
    local bytes, kind = u16(tvb, at), u8(tvb, at + 2)
    if bytes < 24 or (kind == 1 and bytes < 32) or at + bytes > last or not read.has(at, bytes) then
      break
    end
    local part = tree:add(hxb, tvb(at, bytes), "Node " .. u8(tvb, at + 3) .. ", " .. (entries[kind] or "kind " .. kind))
    read.add("link_state.kind", at + 2, 1, part)
    read.add("link_state.node", at + 3, 1, part)
    read.add("link_state.identity", at + 4, 8, part)
    read.add("link_state.generation", at + 12, 4, part)
    read.add("link_state.sequence", at + 16, 4, part)
    read.add("link_state.incarnation", at + 20, 4, part)
    if kind == 1 then
      local names, name = at + 32 + 8 * u8(tvb, at + 29), u8(tvb, at + 30)
      read.add("link_state.age", at + 24, 4, part)
      read.add("link_state.stopped", at + 28, 1, part)
      read.add("link_state.adjacencies", at + 29, 1, part)
      if names + name <= at + bytes then
        for adjacency = at + 32, names - 8, 8 do
          addAdjacency(read, part:add(hxb, tvb(adjacency, 8), "Adjacency"), adjacency)
        end
        if name > 0 then
          read.add("link_state.name", names, name, part)
        end
      end
    end
    at = at + bytes
    count = count + 1
  end
  return count .. " entries"
end

local function addBusy(read)
  read.add("busy.destination", HEADER, 8)
  read.add("busy.route", HEADER + 8, 8)
  return "a longer way is busy"
end

local bodies = {
  [HELLO] = addHello, [LINK_STATUS] = addStatus, [MISCONFIGURATION] = addMisconfiguration, [SESSION] = addSession, [ENDED] = addEnded,
  [UNREACHABLE] = addUnreachable, [MISSING] = addMissing,
  [TRACED] = addTraced, [SUMMARY] = addSummary, [LINK_STATE] = addLinkState, [BUSY] = addBusy,
  [ACK] = function(read, tree, tvb, length)
    read.add("ack.bitmap", HEADER, math.min(length, read.length - HEADER))
    return "up to " .. u32(tvb, 44) .. ", window " .. u16(tvb, 48)
  end,
}

local function addSeal(read, tree, tvb, at, kind)
  if not read.has(at, SEAL) then
    return
  end
  local part = tree:add(hxb, tvb(at, SEAL), "Seal")
  -- The kinds that a key of the cluster can seal have its id in place of mark and loop; a frame count is 0 then.
  if tvb(at, 4):le_uint() == 0 and (kind == HELLO or kind == SESSION or kind == MISCONFIGURATION) then
    read.add("seal.key", at + 4, 4, part)
  else
    read.add("seal.mark", at + 7, 1, part)
    read.add("seal.loop", at + 6, 1, part)
    part:add(F["seal.count"], tvb(at, 6), tvb(at, 6):le_uint64())
  end
  read.add("seal.tag", at + 8, 16, part)
end

-- The fields of the header that are the same in all types, and those that depend on it.
local function addHeader(read, tree, tvb, kind)
  read.add("version", 0, 1)
  read.add("type", 1, 1)
  local flags = read.add("flags", 2, 1)
  if flags then
    for _, name in ipairs({ "crc", "ack", "ack_now", "again", "sparse", "sealed", "close" }) do
      flags:add(F["flag." .. name], tvb(2, 1))
    end
  end
  read.add("hop_limit", 3, 1)
  read.add("order", 4, 4)
  read.add("route", 62, 2)
  read.add("cluster", 8, 4)
  read.place("source", 16)
  read.place("destination", 24)
  if kind ~= UNREACHABLE then
    read.add("source.incarnation", 12, 4)
  end
  read.add("destination.incarnation", 32, 4)
  read.add("source.context", 36, 2)
  read.add("destination.context", 38, 2)
  local isTrace = kind == TRACE or kind == TRACED
  if isTrace then
    read.add("trace.number", 40, 8)
  else
    read.add(kind == OPEN and "open.nonce" or kind == ACCEPT and "accept.tenant" or "sequence", 40, 4)
  end
  if kind == OPEN then
    read.add("open.tenant", 44, 4)
  elseif kind == FRAGMENT then
    read.add("fragment.number", 44, 4)
  elseif kind ~= UNREACHABLE and kind ~= ENDED and kind ~= MISSING and not isTrace then
    read.add("acknowledgement", 44, 4)
  end
  if kind ~= UNREACHABLE and kind ~= ENDED then
    read.add("window", 48, 2)
  end
  if kind ~= ENDED then
    read.add("epoch", 50, 2)
  end
  read.add("body.length", 52, 4)
  read.add("messages", 52, 4)
  if kind ~= FRAGMENT then
    read.add("crc", 56, 4)
  elseif read.has(56, 4) then
    read.add("fragment.frame_length", 56, 4)
    tree:add(F["fragment.offset"], tvb(56, 4), math.floor(u32(tvb, 56) / 131072) * 8)
  end
  read.add("acknowledged_epoch", 60, 2)
end

-- One name for a flow and its opposite.
local function flowName(tvb, cluster)
  local from = coordinates(tvb, 16, cluster) .. ":" .. u16(tvb, 36)
  local to = coordinates(tvb, 24, cluster) .. ":" .. u16(tvb, 38)
  return from < to and from .. " " .. to or to .. " " .. from
end

local isOfFlow = { [HELLO] = false, [LINK_STATUS] = false, [MISCONFIGURATION] = false, [SESSION] = false, [TRACE] = false, [TRACED] = false }

local function infoOf(tvb, kind, cluster, note, problem)
  local text = (types[kind] or "type " .. kind) .. " " .. coordinates(tvb, 16, cluster) .. " -> " .. coordinates(tvb, 24, cluster)
  if isOfFlow[kind] == nil then
    text = text .. " contexts " .. u16(tvb, 36) .. " -> " .. u16(tvb, 38)
  end
  if kind == DATA or kind == FRAGMENT then
    text = text .. " seq " .. u32(tvb, 40)
  end
  if note then
    text = text .. ", " .. note
  end
  return problem and text .. " [" .. problem .. "]" or text
end

local dissectFrame

-- A frame at the start of tvb. "arrived" bytes of it were on the wire, which may be more than the capture has. With "isPart" the rest of
-- the frame is elsewhere. Returns the bytes of the frame, and a line about it.
function dissectFrame(tvb, tree, arrived, hopLimit, isPart, depth)
  local captured = tvb:len()
  local root = tree:add(hxb, tvb(0, captured))
  local isHeader = captured >= HEADER
  local cluster = captured >= 12 and u32(tvb, 8) or 0
  local kind = captured >= 2 and u8(tvb, 1) or 0
  local read = reader(tvb, root, cluster)
  local problem
  if not isPart then
    problem = refusal(tvb, arrived, hopLimit or (isHeader and u8(tvb, 3)))
  end
  -- The layout of other versions is not known.
  if captured >= 1 and u8(tvb, 0) ~= VERSION then
    read.add("version", 0, 1)
    root:add(F.refused, tvb(0, 1), problem or "VERSION")
    root:add_proto_expert_info(refusedExpert, "VERSION")
    return arrived, "version " .. u8(tvb, 0)
  end
  addHeader(read, root, tvb, kind)
  local note, length, total
  if isHeader then
    local word, isSealed = u32(tvb, 52), bit.band(u8(tvb, 2), SEALED_FLAG) ~= 0
    local messages = math.floor(word / 262144)
    length = word % 262144
    total = HEADER + length + (isSealed and SEAL or 0)
    if isOfFlow[kind] == nil and types[kind] then
      root:add(F.flow, tvb(16, 24), flowName(tvb, cluster))
    end
    if kind == DATA then
      local isClear = not isSealed
      if isSealed and read.has(HEADER, length) and not isPart then
        isClear = areRecordsValid(tvb, HEADER, length, messages)
      elseif isSealed then
        isClear = read.has(HEADER, RECORD) and u32(tvb, HEADER) <= length - RECORD
      end
      note = messages .. (messages == 1 and " message, " or " messages, ") .. length .. " B"
      if isClear then
        local remote = addRecords(read, root, tvb, HEADER, length, messages)
        note = remote and note .. ", " .. remote or note
      else
        read.add("encrypted", HEADER, math.min(length, read.length - HEADER))
        note = note .. ", encrypted"
      end
    elseif kind == FRAGMENT then
      local offset = math.floor(u32(tvb, 56) / 131072) * 8
      note = "bytes " .. offset .. " to " .. offset + length - 1 .. " of " .. u32(tvb, 56) % 131072
      local there = math.min(length, captured - HEADER)
      local whole
      if there > 0 and depth == 0 and not problem then
        local origin = u8(tvb, 16) .. "," .. u8(tvb, 17) .. "," .. u8(tvb, 18)
        local said
        whole, said = joinPiece(root, origin, u32(tvb, 44), u32(tvb, 56) % 131072, offset, tvb, HEADER, there, length)
        note = said and note .. " " .. said or note
      end
      if whole then
        local _, line = dissectFrame(whole, root, whole:len(), hopLimit or u8(tvb, 3), false, depth + 1)
        note = note .. " (" .. line .. ")"
      elseif offset == 0 and there >= HEADER and depth == 0 and u8(tvb, HEADER) == VERSION then
        local inner = tvb(HEADER, there):tvb()
        local _, line = dissectFrame(inner, root, there, nil, true, depth + 1)
        note = note .. " (" .. line .. ")"
      elseif there > 0 then
        read.add("payload", HEADER, there)
      end
    elseif bodies[kind] then
      note = bodies[kind](read, root, tvb, length, cluster)
    elseif length > 0 and captured > HEADER then
      read.add("payload", HEADER, math.min(length, captured - HEADER))
    end
    if isSealed and not isPart then
      addSeal(read, root, tvb, HEADER + length, kind)
    end
  end
  if problem then
    root:add(F.refused, tvb(0, math.min(captured, HEADER)), problem)
    root:add_proto_expert_info(refusedExpert, problem)
  end
  local line = isHeader and infoOf(tvb, kind, cluster, note, problem)
    or (types[kind] or "frame") .. ", cut" .. (problem and " [" .. problem .. "]" or "")
  root:set_text("HXB " .. line)
  return problem and arrived or math.min(total or arrived, arrived), line
end

-- The frames that follow one another, as in a train.
local function dissectFrames(tvb, pinfo, tree, hopLimit)
  local at, lines, all = 0, {}, tvb:reported_len()
  beginPacket(pinfo)
  pinfo.cols.protocol = "HXB"
  while at < tvb:len() do
    local rest = tvb(at):tvb()
    if at > 0 and (rest:len() < 2 or u8(rest, 0) ~= VERSION) then
      break
    end
    local bytes, line = dissectFrame(rest, tree, all - at, hopLimit, false, 0)
    lines[#lines + 1] = line
    at = at + math.max(bytes, 1)
  end
  local text = lines[1] or "empty"
  pinfo.cols.info = #lines > 1 and "[train of " .. #lines .. "] " .. text or text
  return tvb:len()
end

function hxb.dissector(tvb, pinfo, tree)
  if tvb:len() == 0 then
    return 0
  end
  beginPacket(pinfo)
  local _, line = dissectFrame(tvb, tree, tvb:reported_len(), nil, false, 0)
  pinfo.cols.protocol = "HXB"
  pinfo.cols.info = line
  return tvb:len()
end

-- Frames by UDP: of raw links, where the time to live of the packet is the hop limit, and of UDP links.
local byUdp = Proto("hxb_udp", "HXB frames by UDP")
local timeToLive = Field.new("ip.ttl")
local isMagic = { 0x48, 0x58, 0x42, 0x20, 0x69, 0x70, 0x20, 0x31 }

local function isProbe(tvb)
  if tvb:len() < 64 then
    return false
  end
  for i, byte in ipairs(isMagic) do
    if u8(tvb, i - 1) ~= byte then
      return false
    end
  end
  return true
end

local function addProbe(tvb, pinfo, tree)
  local root = tree:add(hxb, tvb(0, 64), "HXB probe of the path by IP")
  local from = coordinates(tvb, 8, 0)
  root:add(F["probe.source"], tvb(8, 8), from)
  root:add(F["probe.heard"], tvb(24, 32))
  pinfo.cols.protocol = "HXB"
  pinfo.cols.info = "path probe of " .. from
end

function byUdp.dissector(tvb, pinfo, tree)
  if tvb:len() == 0 then
    return 0
  end
  if isProbe(tvb) then
    addProbe(tvb, pinfo, tree)
    return tvb:len()
  end
  local isRaw = pinfo.dst_port == hxb.prefs.ether_type
  local life = isRaw and timeToLive()
  return dissectFrames(tvb, pinfo, tree, life and life.value or nil)
end

-- True if a datagram begins with a header that nodes take.
local function isFrame(tvb)
  if tvb:len() < HEADER or u8(tvb, 0) ~= VERSION or not types[u8(tvb, 1)] or u8(tvb, 2) > KNOWN_FLAGS or u8(tvb, 3) == 0 then
    return false
  end
  return HEADER + u32(tvb, 52) % 262144 <= tvb:reported_len() and routeProblem(tvb) == nil
end

byUdp:register_heuristic("udp", function(tvb, pinfo, tree)
  if not isFrame(tvb) then
    return false
  end
  byUdp.dissector(tvb, pinfo, tree)
  return true
end)

-- Long frames of raw links as segments of TCP that belong to no connection. They never reach Wireshark's own dissector of TCP, which would
-- look for a connection in them.
local segment = Proto("hxb_segment", "HXB frame by TCP")
local tcp

-- As RawFilter has it; and no connection without options has a window of less than 128 bytes.
local function isSegment(tvb)
  return tvb:len() >= 20 and tvb(2, 2):uint() == hxb.prefs.ether_type and u8(tvb, 12) == 0x50 and bit.band(u8(tvb, 13), 0xf7) == 0x10
    and tvb(14, 2):uint() < 128
end

-- What follows the header of a segment: a frame, or a part of one.
local function dissectPart(tvb, pinfo, tree, root, frame, offset, text)
  local bytes, life = tvb:reported_len() - 20, timeToLive()
  local hopLimit = life and life.value
  local isStart = offset == 0 and u8(tvb, 20) == VERSION
  if isStart and frame <= bytes then
    local _, line = dissectFrame(tvb(20):tvb(), tree, bytes, hopLimit, false, 0)
    return line
  end
  beginPacket(pinfo)
  -- The address of a node is 10 and its coordinates, the first one last.
  local z, y, x = tostring(pinfo.net_src):match("^10%.(%d+)%.(%d+)%.(%d+)$")
  local origin = x and x .. "," .. y .. "," .. z or tostring(pinfo.net_src)
  local whole, said = joinPiece(root, origin, tvb(8, 4):uint(), frame, offset, tvb, 20, tvb:len() - 20, bytes)
  if whole then
    local _, line = dissectFrame(whole, tree, whole:len(), hopLimit, false, 1)
    return line .. " " .. said
  elseif isStart then
    local _, line = dissectFrame(tvb(20):tvb(), tree, bytes, hopLimit, true, 1)
    text = line .. " (first " .. bytes .. " of " .. frame .. " bytes)"
  else
    root:add(F.payload, tvb(20))
  end
  return said and text .. " " .. said or text
end

function segment.dissector(tvb, pinfo, tree)
  if not isSegment(tvb) then
    return tcp:call(tvb, pinfo, tree)
  end
  local word, marks = tvb(4, 4):uint(), u8(tvb, 15)
  local offset = word % 131072
  local frame = math.floor(word / 131072) * 8 + marks % 8
  local root = tree:add(segment, tvb(0, 20))
  root:add(F["segment.number"], tvb(8, 4))
  root:add(F["segment.frame_length"], tvb(4, 4), frame)
  root:add(F["segment.offset"], tvb(4, 4), offset)
  for _, name in ipairs({ "asking", "probe", "answer", "for_node" }) do
    root:add(F["segment." .. name], tvb(15, 1))
  end
  pinfo.cols.protocol = "HXB"
  local bytes = tvb:reported_len() - 20
  local text = "segment of frame " .. tvb(8, 4):uint() .. ", bytes " .. offset .. " to " .. offset + bytes - 1 .. " of " .. frame
  if bit.band(marks, 0x20) ~= 0 then
    text = "segment answer, frame " .. tvb(8, 4):uint()
  elseif bit.band(marks, 0x10) ~= 0 then
    text = "segment probe, frame " .. tvb(8, 4):uint()
  elseif tvb:len() > 20 then
    text = dissectPart(tvb, pinfo, tree, root, frame, offset, text)
  end
  pinfo.cols.info = text
  return tvb:len()
end

-- Wireshark calls it again when a preference has changed.
local registered = {}

local function register()
  local ethertype, port = DissectorTable.get("ethertype"), DissectorTable.get("udp.port")
  for _, undo in ipairs(registered) do
    undo()
  end
  registered = {}
  for _, value in ipairs({ hxb.prefs.ether_type, hxb.prefs.relay_ether_type }) do
    ethertype:add(value, hxb)
    registered[#registered + 1] = function() ethertype:remove(value, hxb) end
  end
  local byIp = hxb.prefs.ether_type
  port:add(byIp, byUdp)
  registered[#registered + 1] = function() port:remove(byIp, byUdp) end
  local ports = hxb.prefs.udp_ports
  if ports and ports ~= "" then
    port:add(ports, byUdp)
    registered[#registered + 1] = function() port:remove(ports, byUdp) end
  end
end

hxb.prefs_changed = register
register()
local protocols = DissectorTable.get("ip.proto")
tcp = protocols:get_dissector(6)
protocols:set(6, segment)
