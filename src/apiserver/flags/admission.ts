import type { FlagSet } from "#/std/flags/flags.ts";

/** Upstream's section "Admission flags". */
export const admissionFlags = {
  "admission-control": { type: "stringSlice", help: "The plugins to use, in order; deprecated." },
  "admission-control-config-file": {
    type: "string",
    help: "A file with the configuration of admission plugins.",
  },
  "default-not-ready-toleration-seconds": {
    type: "int",
    default: 300,
    help: "How long pods stay on a node that isn't ready, unless they say otherwise.",
  },
  "default-unreachable-toleration-seconds": {
    type: "int",
    default: 300,
    help: "How long pods stay on a node that can't be reached, unless they say otherwise.",
  },
  "disable-admission-plugins": {
    type: "stringSlice",
    help: "Plugins to turn off that are on by default.",
  },
  "enable-admission-plugins": {
    type: "stringSlice",
    help: "Plugins to turn on besides those that are on by default.",
  },
} satisfies FlagSet;
