import type { FlagSet } from "#/std/flags.ts";

/** Upstream's section "Admission flags". */
export const admissionFlags = {
  "admission-control": { type: "stringSlice", help: "" },
  "admission-control-config-file": { type: "string", help: "" },
  "default-not-ready-toleration-seconds": { type: "int", default: 300, help: "" },
  "default-unreachable-toleration-seconds": { type: "int", default: 300, help: "" },
  "disable-admission-plugins": { type: "stringSlice", help: "" },
  "enable-admission-plugins": { type: "stringSlice", help: "" },
} satisfies FlagSet;
