/** Upstream: sigs.k8s.io/apiserver-network-proxy/konnectivity-client. */
import { bidi, service } from "#/std/grpc/grpc.ts";
import { message, nested } from "#/std/protobuf/protobuf.ts";
import { bytes, enumeration, int64, string } from "#/std/protobuf/protobuf-field.ts";

const types = {
  DIAL_REQ: 0,
  DIAL_RSP: 1,
  CLOSE_REQ: 2,
  CLOSE_RSP: 3,
  DATA: 4,
  DIAL_CLS: 5,
} as const;

export const Packet = message({
  type: enumeration(1, types),
  dialRequest: nested(2, message({ protocol: string(1), address: string(2), random: int64(3) })),
  dialResponse: nested(3, message({ error: string(1), connectID: int64(2), random: int64(3) })),
  data: nested(4, message({ connectID: int64(1), error: string(2), data: bytes(3) })),
  closeRequest: nested(5, message({ connectID: int64(1) })),
  closeResponse: nested(6, message({ error: string(1), connectID: int64(2) })),
});

/** The protocol of konnectivity's server; a call is one connection. */
export const ProxyService = service("ProxyService", { Proxy: bidi(Packet, Packet) });
