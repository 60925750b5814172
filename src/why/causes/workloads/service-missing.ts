import { type StatefulSet, statefulSets } from "#/api/apps/v1.ts";
import { services } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";

export const governingServiceMissing = cause<StatefulSet>({
  name: "governing-service-missing",
  layer: "service",
  of: [statefulSets],
  find({ spec, metadata }, view) {
    const name = spec?.serviceName;
    if (!name || !view.isAbsent(services, { name, namespace: metadata.namespace }))
      return undefined;
    return {
      sentence: `its Service "${name}" (serviceName) does not exist, so its Pods have no DNS names of their own`,
      severity: "notice",
      fix: [`kubectl create service clusterip ${name} --clusterip=None`],
    };
  },
});
