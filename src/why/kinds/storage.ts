import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
} from "#/api/core/v1.ts";
import { kindRules } from "../base/kind-rules.ts";
import { claimNames } from "../facts/claims.ts";
import { isScheduled } from "../facts/containers.ts";
import { waitsForConsumer } from "../facts/pending-claim.ts";

export const claimRules = kindRules<PersistentVolumeClaim>({
  resource: persistentVolumeClaims,
  /** A claim that waits for its Pod's node has that Pod's causes. */
  below({ metadata, status }, view) {
    if (status?.phase === "Bound" || metadata.deletionTimestamp) return [];
    return (view.list(pods, { namespace: metadata.namespace }) ?? [])
      .filter((pod) => claimNames(pod).includes(metadata.name ?? "") && !isScheduled(pod))
      .slice(0, 1)
      .map((object) => ({ resource: pods, object }));
  },
  unfinished(claim, view) {
    const { metadata, status } = claim;
    if (metadata.deletionTimestamp)
      return {
        layer: "deletion",
        sentence: "it is being deleted",
        since: metadata.deletionTimestamp,
      };
    if (status?.phase === "Bound" || waitsForConsumer(claim, view)) return undefined;
    return {
      layer: "volumes",
      sentence: "it is not bound to a volume yet",
      since: metadata.creationTimestamp,
    };
  },
  healthy: (claim, view) => waitsForConsumer(claim, view) ?? boundText(claim),
});

const boundText = ({ spec, status }: PersistentVolumeClaim): string =>
  `it is bound to ${spec?.volumeName} (${status?.capacity?.["storage"] ?? "size unknown"})`;

export const volumeRules = kindRules<PersistentVolume>({
  resource: persistentVolumes,
  unfinished({ metadata, status }) {
    if (metadata.deletionTimestamp)
      return {
        layer: "deletion",
        sentence: "it is being deleted",
        since: metadata.deletionTimestamp,
      };
    return status?.phase === "Pending"
      ? { layer: "volumes", sentence: "it is not available yet", since: metadata.creationTimestamp }
      : undefined;
  },
  healthy({ spec, status }) {
    if (status?.phase !== "Bound") return `it is ${status?.phase ?? "there"}, and no claim uses it`;
    return `it is bound to the claim ${spec.claimRef?.namespace}/${spec.claimRef?.name}`;
  },
});
