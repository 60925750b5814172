import type { FlagSet } from "#/std/flags.ts";

/** Upstream's section "Generic flags". */
export const genericFlags = {
  "advertise-address": { type: "ip", help: "" },
  "cors-allowed-origins": { type: "stringSlice", help: "" },
  "emulated-version": { type: "stringSlice", help: "" },
  "emulation-forward-compatible": { type: "bool", help: "" },
  "external-hostname": { type: "string", help: "" },
  "feature-gates": { type: "featureGates", help: "" },
  "goaway-chance": { type: "float", help: "" },
  "livez-grace-period": { type: "duration", help: "" },
  "max-mutating-requests-inflight": { type: "int", default: 200, help: "" },
  "max-requests-inflight": { type: "int", default: 400, help: "" },
  "min-compatibility-version": { type: "stringSlice", help: "" },
  "min-request-timeout": { type: "int", default: 1800, help: "" },
  "request-timeout": { type: "duration", default: 60000, help: "" },
  "runtime-config-emulation-forward-compatible": { type: "bool", help: "" },
  "shutdown-delay-duration": { type: "duration", help: "" },
  "shutdown-send-retry-after": { type: "bool", help: "" },
  "shutdown-watch-termination-grace-period": { type: "duration", help: "" },
  "storage-initialization-timeout": { type: "duration", default: 60000, help: "" },
  "strict-transport-security-directives": { type: "stringSlice", help: "" },
} satisfies FlagSet;
