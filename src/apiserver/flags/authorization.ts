import type { FlagSet } from "#/std/flags.ts";

/** Upstream's section "Authorization flags". */
export const authorizationFlags = {
  "authorization-config": { type: "string", help: "" },
  "authorization-mode": { type: "stringSlice", help: "" },
  "authorization-policy-file": { type: "string", help: "" },
  "authorization-webhook-cache-authorized-ttl": { type: "duration", default: 300000, help: "" },
  "authorization-webhook-cache-unauthorized-ttl": { type: "duration", default: 30000, help: "" },
  "authorization-webhook-config-file": { type: "string", help: "" },
  "authorization-webhook-version": { type: "string", default: "v1beta1", help: "" },
} satisfies FlagSet;
