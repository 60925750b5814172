import { services } from "#/api/core/v1.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";
import { forbid } from "../base/forbid.ts";

/** No service gets new external addresses. Upstream: plugin/pkg/admission/network/denyserviceexternalips/admission.go. */
export const denyServiceExternalIPs = admissionPlugin({
  name: "DenyServiceExternalIPs",
  offByDefault: true,
  on: services,
  operations: ["CREATE", "UPDATE"],
  validate(attributes) {
    const { object, oldObject } = attributes;
    const known = new Set(oldObject?.spec?.externalIPs);
    if ((object.spec?.externalIPs ?? []).every((address) => known.has(address))) return;
    throw forbid(attributes, "Use of external IPs is denied by admission control");
  },
});
