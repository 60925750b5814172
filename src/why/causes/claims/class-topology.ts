import { nodes, type PersistentVolumeClaim, persistentVolumeClaims } from "#/api/core/v1.ts";
import { type StorageClass, storageClasses } from "#/api/storage/v1.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";
import { cause } from "../../base/cause.ts";
import { isPendingClaim } from "../../facts/pending-claim.ts";

/** A StorageClass for places in which the cluster has no node. */
export const classTopology = cause<PersistentVolumeClaim>({
  name: "class-topology",
  layer: "volumes",
  group: "claim",
  of: [persistentVolumeClaims],
  find(claim, view) {
    if (!isPendingClaim(claim)) return undefined;
    const name = claimClass(claim);
    const { allowedTopologies: allowed = [] } = view.get(storageClasses, { name }) ?? {};
    const all = allowed.length > 0 ? view.list(nodes) : undefined;
    if (!all || !view.isWhole(nodes)) return undefined;
    if (all.some(({ metadata }) => isAllowed(allowed, metadata.labels ?? {}))) return undefined;
    return {
      sentence: `its StorageClass "${name}" allows only ${textOf(allowed)} (allowedTopologies), and no node is there`,
      since: claim.metadata.creationTimestamp,
      fix: ["kubectl get nodes --show-labels", `kubectl describe storageclass ${name}`],
    };
  },
});

type Topologies = NonNullable<StorageClass["allowedTopologies"]>;

const isAllowed = (topologies: Topologies, labels: Readonly<Record<string, string>>): boolean =>
  topologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? "")),
  );

const textOf = (topologies: Topologies): string =>
  topologies
    .map(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions
        .map(({ key, values }) => `${key} in ${values.join(", ")}`)
        .join(" and "),
    )
    .join(" or ");
