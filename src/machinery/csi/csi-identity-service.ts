/** Upstream: github.com/container-storage-interface/spec/csi.proto. */
import { service, unary } from "#/std/grpc/grpc.ts";
import { message, nested, repeated } from "#/std/protobuf/protobuf.ts";
import { bool, enumeration, string } from "#/std/protobuf/protobuf-field.ts";
import { Empty } from "./csi-messages.ts";

const PluginCapability = message({
  service: nested(
    1,
    message({
      type: enumeration(1, {
        UNKNOWN: 0,
        CONTROLLER_SERVICE: 1,
        VOLUME_ACCESSIBILITY_CONSTRAINTS: 2,
      }),
    }),
  ),
  volumeExpansion: nested(
    2,
    message({ type: enumeration(1, { UNKNOWN: 0, ONLINE: 1, OFFLINE: 2 }) }),
  ),
});

export const identityService = service("csi.v1.Identity", {
  GetPluginInfo: unary(Empty, message({ name: string(1), vendorVersion: string(2) })),
  GetPluginCapabilities: unary(
    Empty,
    message({ capabilities: repeated(nested(1, PluginCapability)) }),
  ),
  Probe: unary(Empty, message({ ready: nested(1, message({ value: bool(1) })) })),
});
