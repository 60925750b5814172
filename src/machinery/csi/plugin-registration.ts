/** Upstream: k8s.io/kubelet/pkg/apis/pluginregistration/v1/api.proto. */
import { service, unary } from "#/std/grpc/grpc.ts";
import { message, repeated } from "#/std/protobuf/protobuf.ts";
import { bool, string } from "#/std/protobuf/protobuf-field.ts";
import { Empty } from "./csi-messages.ts";

/** Served by a plugin of a kubelet, in the kubelet's folder plugins_registry. */
export const registrationService = service("pluginregistration.Registration", {
  GetInfo: unary(
    Empty,
    message({
      type: string(1),
      name: string(2),
      endpoint: string(3),
      supportedVersions: repeated(string(4)),
    }),
  ),
  NotifyRegistrationStatus: unary(message({ pluginRegistered: bool(1), error: string(2) }), Empty),
});
