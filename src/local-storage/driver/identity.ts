import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import { identityService } from "#/machinery/csi/csi-identity-service.ts";
import { type ServedService, served } from "#/std/grpc/grpc-server.ts";
import { driverName } from "../base/names.ts";

/** The CSI identity service. */
export const identity: ServedService = served(identityService, {
  GetPluginInfo: async () => ({ name: driverName, vendorVersion: kubernetesVersion }),
  GetPluginCapabilities: async () => ({
    capabilities: [
      { service: { type: "CONTROLLER_SERVICE" } },
      { service: { type: "VOLUME_ACCESSIBILITY_CONSTRAINTS" } },
      { volumeExpansion: { type: "ONLINE" } },
    ],
  }),
  Probe: async () => ({ ready: { value: true } }),
});
