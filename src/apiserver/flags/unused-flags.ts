import { isDeepStrictEqual } from "node:util";
import { defaultValues } from "#/std/flags/flags.ts";
import { type ApiServerFlags, apiServerFlags } from "./index.ts";

/** Flags without effect here, with the reason. Upstream does nothing for --kubelet-timeout either. */
const reasons: Partial<Record<keyof ApiServerFlags, string>> = {
  "contention-profiling": "one thread serves all requests, and waits for no locks",
  "permit-address-sharing": "addresses are always shared: SO_REUSEADDR is set anyway",
  "peer-ca-file": "all servers of a cluster have the same APIs, so none asks another",
  "peer-advertise-ip": "all servers of a cluster have the same APIs, so none asks another",
  "peer-advertise-port": "all servers of a cluster have the same APIs, so none asks another",
  "storage-media-type": "objects are stored as JSON",
  "watch-cache": "reads and watches are always served from memory",
  "watch-cache-sizes": "reads and watches are always served from memory",
};

/** A warning for each flag that was set and has no effect. */
export function unusedFlagWarnings(flags: ApiServerFlags): string[] {
  const usual = defaultValues(apiServerFlags);
  return Object.entries(reasons).flatMap(([name, reason]) => {
    const flag = name as keyof ApiServerFlags;
    const value: unknown = flags[flag];
    const isStored = flag === "storage-media-type" && value === "application/json";
    if (isStored || isDeepStrictEqual(value, usual[flag])) return [];
    return [`--${flag} changes nothing: ${reason}`];
  });
}
