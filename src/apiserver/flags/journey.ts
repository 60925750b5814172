import { join } from "node:path";
import type { FlagSet } from "#/std/flags/flags.ts";

/** Flags that upstream does not have: the record of what happens to objects. */
export const journeyFlags = {
  journey: {
    type: "bool",
    help: "Record what happens to objects, and serve it as journey.k8ts.dev.",
  },
  "journey-dir": {
    type: "string",
    help: "The directory of the records; by default one in --data-dir, or with --etcd-servers none.",
  },
  "journey-traces": {
    type: "bool",
    default: true,
    help: "With --journey: accept spans of applications (OTLP over HTTP) and show them beside their Pods.",
  },
} satisfies FlagSet;

/** The directory of the flags; undefined keeps the records in memory only. */
export function journeyDirectory(flags: {
  readonly "journey-dir": string;
  readonly "data-dir": string;
  readonly "etcd-servers": readonly string[];
}): string | undefined {
  if (flags["journey-dir"] !== "") return flags["journey-dir"];
  return flags["etcd-servers"].length > 0 ? undefined : join(flags["data-dir"], "journey");
}
