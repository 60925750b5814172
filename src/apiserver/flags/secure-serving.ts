import type { FlagSet } from "#/std/flags/flags.ts";

/** Upstream's section "Secure serving flags". */
export const secureServingFlags = {
  "bind-address": { type: "ip", default: "0.0.0.0", help: "The address to listen at." },
  "cert-dir": {
    type: "string",
    default: "/var/run/kubernetes",
    help: "The directory of the self-signed certificate that is made when none is given.",
  },
  "disable-http2-serving": { type: "bool", help: "Serve HTTP/1.1 only." },
  "http2-max-streams-per-connection": {
    type: "int",
    help: "Requests at a time on one HTTP/2 connection; 0 for the default.",
  },
  "permit-address-sharing": { type: "bool", help: "Set SO_REUSEADDR on the socket." },
  "permit-port-sharing": {
    type: "bool",
    help: "Set SO_REUSEPORT on the socket, so that several servers can listen at one port.",
  },
  "secure-port": { type: "int", default: 6443, help: "The port for HTTPS." },
  "tls-cert-file": {
    type: "string",
    help: "The file of the server's certificate, with those of its authorities behind it.",
  },
  "tls-cipher-suites": {
    type: "stringSlice",
    help: "Cipher suites to offer up to TLS 1.2, by Go's names.",
  },
  "tls-curve-preferences": {
    type: "stringSlice",
    default: [],
    help: "Key exchange mechanisms to offer.",
  },
  "tls-min-version": {
    type: "string",
    help: "The oldest TLS version to speak: VersionTLS10 to VersionTLS13.",
  },
  "tls-private-key-file": { type: "string", help: "The file of the key of --tls-cert-file." },
  "tls-sni-cert-key": {
    type: "stringArray",
    default: [],
    help: "A certificate and a key for some names: cert,key or cert,key:name,*.name. May be repeated.",
  },
} satisfies FlagSet;
