import { ipBits, parseNetIp } from "#/std/net/ip.ts";
import {
  acknowledge,
  encodeMessage,
  type NetlinkAttribute,
} from "#/std/netlink/netlink-message.ts";
import type { FlowTuple, UdpFlow } from "./parse-flows.ts";

/** Numbers of the kernel: include/uapi/linux/netfilter/nfnetlink_conntrack.h and nfnetlink.h. */
const deleteRequest = (1 << 8) | 2;
const attribute = { original: 1, reply: 2, zone: 18 };
const tuple = { ip: 1, protocol: 2 };
const address = { ipv4: [1, 2], ipv6: [3, 4] } as const;
const ports = { protocol: 1, source: 2, destination: 3 };
const families = { ipv4: 2, ipv6: 10 };
const udp = 17;

/** The request that deletes one flow, whatever the size of the table. */
export function deleteFlowMessage({ original, reply, zone }: UdpFlow): Buffer {
  const family = original.source.includes(":") ? families.ipv6 : families.ipv4;
  return encodeMessage({
    type: deleteRequest,
    flags: acknowledge,
    header: Buffer.from([family, 0, 0, 0]),
    attributes: [
      { type: attribute.original, value: tupleAttributes(original) },
      { type: attribute.reply, value: tupleAttributes(reply) },
      ...(zone === 0 ? [] : [{ type: attribute.zone, value: uint16(zone) }]),
    ],
  });
}

function tupleAttributes(flow: FlowTuple): NetlinkAttribute[] {
  const [source, destination] = flow.source.includes(":") ? address.ipv6 : address.ipv4;
  return [
    {
      type: tuple.ip,
      value: [
        { type: source, value: addressBytes(flow.source) },
        { type: destination, value: addressBytes(flow.destination) },
      ],
    },
    {
      type: tuple.protocol,
      value: [
        { type: ports.protocol, value: Buffer.from([udp]) },
        { type: ports.source, value: uint16(flow.sourcePort) },
        { type: ports.destination, value: uint16(flow.destinationPort) },
      ],
    },
  ];
}

function addressBytes(text: string): Buffer {
  const ip = parseNetIp(text);
  if (!ip) return Buffer.alloc(0);
  return Buffer.from(ip.value.toString(16).padStart(ipBits(ip.family) / 4, "0"), "hex");
}

/** Values of attributes have the byte order of the network. */
function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}
