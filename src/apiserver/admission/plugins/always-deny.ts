import type { Attributes } from "../../registry/admission.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";
import { forbid } from "../base/forbid.ts";

/** Refuses every write. Upstream: plugin/pkg/admission/deny/admission.go. */
export const alwaysDeny = admissionPlugin({
  name: "AlwaysDeny",
  offByDefault: true,
  operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],
  mutate: deny,
  validate: deny,
});

function deny(attributes: Pick<Attributes, "resource" | "name" | "object">): void {
  throw forbid(attributes, "admission control is denying all modifications");
}
