/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { PersistentVolume } from "#/api/core/v1.ts";
import { accessModes, betaClass, describePhase } from "../parts/claim-parts.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { type Description, goList } from "../parts/description.ts";
import { describeSource } from "../parts/volumes.ts";

const describeVolume: Describer = (to, { object }) => {
  const { metadata, spec, status } = object as unknown as PersistentVolume;
  to.head(object.metadata, { namespaced: false });
  to.field(0, "Finalizers", goList(metadata?.finalizers));
  to.field(0, "StorageClass", metadata?.annotations?.[betaClass] ?? spec?.storageClassName ?? "");
  describePhase(to, metadata?.deletionTimestamp, status?.phase);
  const claim = spec?.claimRef;
  to.field(0, "Claim", claim ? `${claim.namespace ?? ""}/${claim.name ?? ""}` : "");
  to.field(0, "Reclaim Policy", spec?.persistentVolumeReclaimPolicy ?? "");
  to.field(0, "Access Modes", accessModes(spec?.accessModes));
  if (spec?.volumeMode) to.field(0, "VolumeMode", spec.volumeMode);
  to.field(0, "Capacity", spec?.capacity?.["storage"] ?? "0");
  nodeAffinity(to, spec?.nodeAffinity);
  to.field(0, "Message", status?.message ?? "");
  to.write(0, "Source:\n");
  describeSource(to, (spec ?? {}) as never, true);
};

function nodeAffinity(
  to: Description,
  affinity: NonNullable<PersistentVolume["spec"]>["nodeAffinity"],
): void {
  if (!affinity?.required) {
    to.field(0, "Node Affinity", "<none>");
    return;
  }
  to.write(0, "Node Affinity:\t\n");
  const terms = affinity.required.nodeSelectorTerms ?? [];
  to.write(1, `Required Terms:\t${terms.length === 0 ? "<none>" : ""}\n`);
  for (const [i, { matchExpressions = [] }] of terms.entries()) {
    to.write(2, `Term ${i}:\t${matchExpressions.length === 0 ? "<none>\n" : ""}`);
    for (const [j, { key, operator, values = [] }] of matchExpressions.entries()) {
      if (j > 0) to.write(2, "\t");
      const list = values.length === 0 ? "" : ` [${values.join(", ")}]`;
      to.write(0, `${key} ${operator.toLowerCase()}${list}\n`);
    }
  }
}

export const persistentVolume: KindDescriber = { describe: describeVolume };
