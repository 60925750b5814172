import { type Pod, pods } from "#/api/core/v1.ts";
import { names } from "../../base/text.ts";
import { claimNames } from "../../facts/claims.ts";
import { hasEnded } from "../../facts/containers.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";

export const volumeExclusive = schedulingCause({
  name: "volume-in-use",
  layer: "volumes",
  texts: /ReadWriteOncePod access mode already in-use/,
  explain(_match, pod, view) {
    const { namespace } = pod.metadata;
    const others = (view.list(pods, { namespace }) ?? [])
      .filter((other) => other.metadata.uid !== pod.metadata.uid && !hasEnded(other))
      .filter((other) => sharesClaim(pod, other))
      .map(({ metadata }) => `pod/${metadata.name}`);
    return {
      sentence: `its volume may be used by one Pod only (ReadWriteOncePod), and ${names(others) || "another Pod"} uses it`,
      fix: ["# end that Pod, or use the access mode ReadWriteOnce"],
    };
  },
});

const sharesClaim = (a: Pod, b: Pod): boolean =>
  claimNames(a).some((name) => claimNames(b).includes(name));
