import { admissionPlugin } from "../base/admission-plugin.ts";

/** Admits every request. Upstream: plugin/pkg/admission/admit/admission.go. */
export const alwaysAdmit = admissionPlugin({
  name: "AlwaysAdmit",
  offByDefault: true,
  operations: [],
});
