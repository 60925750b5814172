import type { FlagSet } from "#/std/flags/flags.ts";

/** Upstream's section "Generic flags". */
export const genericFlags = {
  "advertise-address": {
    type: "ip",
    help: "The address at which clients in the cluster reach this server.",
  },
  "cors-allowed-origins": {
    type: "stringSlice",
    help: "Regular expressions of origins that browsers may call from.",
  },
  "emulated-version": {
    type: "stringSlice",
    help: "The version whose APIs and features are emulated.",
  },
  "emulation-forward-compatible": {
    type: "bool",
    help: "Serve the newest versions of APIs even when an older version is emulated.",
  },
  "external-hostname": { type: "string", help: "The host name in addresses that are handed out." },
  "feature-gates": {
    type: "featureGates",
    help: "Features to turn on or off, as Name=true|false.",
  },
  "goaway-chance": {
    type: "float",
    help: "The chance, from 0 to 0.02, that an HTTP/2 client is asked to connect anew.",
  },
  "livez-grace-period": {
    type: "duration",
    help: "How long the server may take to start before /livez fails.",
  },
  "max-mutating-requests-inflight": {
    type: "int",
    default: 200,
    help: "Writing requests at a time; with --max-requests-inflight, the seats of priority and fairness.",
  },
  "max-requests-inflight": {
    type: "int",
    default: 400,
    help: "Reading requests at a time; with --max-mutating-requests-inflight, the seats of priority and fairness.",
  },
  "min-compatibility-version": {
    type: "stringSlice",
    help: "The oldest version of control plane components to work with.",
  },
  "min-request-timeout": {
    type: "int",
    default: 1800,
    help: "The least time, in seconds, after which a watch is ended.",
  },
  "request-timeout": {
    type: "duration",
    default: 60000,
    help: "How long a request may take, unless it is a watch or a stream.",
  },
  "runtime-config-emulation-forward-compatible": {
    type: "bool",
    help: "Let --runtime-config name APIs newer than the emulated version.",
  },
  "shutdown-delay-duration": {
    type: "duration",
    help: "How long to go on serving after a request to stop; /readyz fails meanwhile.",
  },
  "shutdown-send-retry-after": {
    type: "bool",
    help: "Answer new requests with 429 while the server stops.",
  },
  "shutdown-watch-termination-grace-period": {
    type: "duration",
    help: "How long watches may take to end when the server stops.",
  },
  "storage-initialization-timeout": {
    type: "duration",
    default: 60000,
    help: "How long to wait for the store before the server counts as ready.",
  },
  "strict-transport-security-directives": {
    type: "stringSlice",
    help: "Directives of the Strict-Transport-Security header; none for no header.",
  },
} satisfies FlagSet;
