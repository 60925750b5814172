/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/options/{serving,authentication,authorization}.go.
 */
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";

/** "Secure serving flags" of a component, with its default port. */
export const secureServingFlags = (port: number) =>
  ({
    "bind-address": { type: "ip", default: "0.0.0.0", help: "The address to listen at." },
    "cert-dir": {
      type: "string",
      help: "The directory of the self-signed certificate that is made when none is given.",
    },
    "disable-http2-serving": {
      type: "bool",
      help: "Serve only HTTP/1.1. Ignored: HTTP/2 is not served.",
    },
    "http2-max-streams-per-connection": { type: "int", help: "Ignored: HTTP/2 is not served." },
    "permit-address-sharing": { type: "bool", help: "Set SO_REUSEADDR on the socket." },
    "permit-port-sharing": { type: "bool", help: "Set SO_REUSEPORT on the socket." },
    "secure-port": { type: "int", default: port, help: "The port for HTTPS; 0 for none." },
    "tls-cert-file": { type: "string", help: "The file of the server's certificate." },
    "tls-cipher-suites": { type: "stringSlice", help: "Cipher suites to offer up to TLS 1.2." },
    "tls-curve-preferences": { type: "stringSlice", help: "Key exchange mechanisms to offer." },
    "tls-min-version": { type: "string", help: "The oldest TLS version to accept." },
    "tls-private-key-file": { type: "string", help: "The file of the key of --tls-cert-file." },
    "tls-sni-cert-key": { type: "stringArray", help: "Further certificates, by name." },
  }) satisfies FlagSet;

/** "Authentication flags" of a component. */
export const delegatedAuthenticationFlags = {
  "authentication-kubeconfig": {
    type: "string",
    help: "The kubeconfig of the server that reviews tokens.",
  },
  "authentication-skip-lookup": {
    type: "bool",
    help: "Don't read the client CA from the cluster.",
  },
  "authentication-token-webhook-cache-ttl": {
    type: "duration",
    default: 10_000,
    help: "How long token reviews are cached.",
  },
  "authentication-tolerate-lookup-failure": {
    type: "bool",
    default: true,
    help: "Serve even if the client CA can't be read from the cluster.",
  },
  "client-ca-file": { type: "string", help: "The file of the client CA certificates." },
  "requestheader-allowed-names": { type: "stringSlice", help: "Names of trusted proxies." },
  "requestheader-client-ca-file": {
    type: "string",
    help: "The file of the proxies' CA certificates.",
  },
  "requestheader-extra-headers-prefix": {
    type: "stringSlice",
    default: ["x-remote-extra-"],
    help: "Prefixes of headers with users' extra attributes.",
  },
  "requestheader-group-headers": {
    type: "stringSlice",
    default: ["x-remote-group"],
    help: "Headers with users' groups.",
  },
  "requestheader-uid-headers": { type: "stringSlice", help: "Headers with users' UIDs." },
  "requestheader-username-headers": {
    type: "stringSlice",
    default: ["x-remote-user"],
    help: "Headers with users' names.",
  },
} satisfies FlagSet;

/** "Authorization flags" of a component. */
export const delegatedAuthorizationFlags = {
  "authorization-always-allow-paths": {
    type: "stringSlice",
    default: ["/healthz", "/readyz", "/livez"],
    help: "Paths that need no authorization.",
  },
  "authorization-kubeconfig": {
    type: "string",
    help: "The kubeconfig of the server that authorizes users.",
  },
  "authorization-webhook-cache-authorized-ttl": {
    type: "duration",
    default: 10_000,
    help: "How long allowed decisions are cached.",
  },
  "authorization-webhook-cache-unauthorized-ttl": {
    type: "duration",
    default: 10_000,
    help: "How long denied decisions are cached.",
  },
} satisfies FlagSet;

type All = ReturnType<typeof secureServingFlags> &
  typeof delegatedAuthenticationFlags &
  typeof delegatedAuthorizationFlags;

/** The flags that decide how a component serves. */
export type ComponentServerFlags = Pick<
  FlagValues<All>,
  | "bind-address"
  | "cert-dir"
  | "secure-port"
  | "tls-cert-file"
  | "tls-private-key-file"
  | "tls-min-version"
  | "tls-cipher-suites"
  | "client-ca-file"
  | "authentication-skip-lookup"
  | "requestheader-allowed-names"
  | "requestheader-client-ca-file"
  | "requestheader-extra-headers-prefix"
  | "requestheader-group-headers"
  | "requestheader-uid-headers"
  | "requestheader-username-headers"
  | "authentication-token-webhook-cache-ttl"
  | "authorization-always-allow-paths"
  | "authorization-webhook-cache-authorized-ttl"
  | "authorization-webhook-cache-unauthorized-ttl"
>;
