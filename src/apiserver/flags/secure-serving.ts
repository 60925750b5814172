import type { FlagSet } from "#/std/flags.ts";

/** Upstream's section "Secure serving flags". */
export const secureServingFlags = {
  "bind-address": { type: "ip", default: "0.0.0.0", help: "" },
  "cert-dir": { type: "string", default: "/var/run/kubernetes", help: "" },
  "disable-http2-serving": { type: "bool", help: "" },
  "http2-max-streams-per-connection": { type: "int", help: "" },
  "permit-address-sharing": { type: "bool", help: "" },
  "permit-port-sharing": { type: "bool", help: "" },
  "secure-port": { type: "int", default: 6443, help: "" },
  "tls-cert-file": { type: "string", help: "" },
  "tls-cipher-suites": { type: "stringSlice", help: "" },
  "tls-curve-preferences": { type: "stringSlice", default: [], help: "" },
  "tls-min-version": { type: "string", help: "" },
  "tls-private-key-file": { type: "string", help: "" },
  "tls-sni-cert-key": { type: "stringArray", default: [], help: "" },
} satisfies FlagSet;
