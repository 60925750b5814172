import { type Deployment, deployments, type StatefulSet, statefulSets } from "#/api/apps/v1.ts";
import { cause } from "../../base/cause.ts";

export const scaledToZero = cause<Deployment | StatefulSet>({
  name: "scaled-to-zero",
  layer: "controllers",
  of: [deployments, statefulSets],
  find({ spec, metadata }, _view, { kind }) {
    if (spec?.replicas !== 0) return undefined;
    return {
      sentence: "it is scaled to 0 replicas, so it has no Pods",
      severity: "notice",
      fix: [`kubectl scale ${kind.toLowerCase()}/${metadata.name} --replicas=1`],
    };
  },
});
