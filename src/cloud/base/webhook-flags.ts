/** Upstream: staging/src/k8s.io/cloud-provider/options/webhook.go. */
import type { FlagSet } from "#/std/flags/flags.ts";

/** Flags of webhooks. No provider has one: all are validated, none is served, as upstream's. */
export const webhookFlags = {
  webhooks: { type: "stringSlice", help: "Which webhooks are served; there are none." },
  "webhook-bind-address": { type: "ip", default: "0.0.0.0", help: "The address of webhooks." },
  "webhook-cert-dir": { type: "string", help: "The directory of their certificate." },
  "webhook-disable-http2-serving": { type: "bool", help: "Serve them over HTTP/1.1 only." },
  "webhook-secure-port": { type: "int", default: 10260, help: "Their port; 0 for none." },
  "webhook-tls-cert-file": { type: "string", help: "The file of their certificate." },
  "webhook-tls-cipher-suites": { type: "stringSlice", help: "Their cipher suites up to TLS 1.2." },
  "webhook-tls-curve-preferences": { type: "stringSlice", help: "Their key exchange mechanisms." },
  "webhook-tls-min-version": { type: "string", help: "Their oldest TLS version." },
  "webhook-tls-private-key-file": { type: "string", help: "The file of their key." },
  "webhook-tls-sni-cert-key": { type: "stringArray", help: "Their further certificates." },
} satisfies FlagSet;
