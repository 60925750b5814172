import { namespaces, type Service, services } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { ClusterState } from "./cluster-zone.ts";

/**
 * The cluster's state from informers; nothing is copied, and a question costs one or two lookups.
 */
export function informerState(informers: Informers): ClusterState {
  const serviceInformer = informers.informer(services, {
    transform: trimmed,
    indexes: { clusterIp: ({ spec }) => spec?.clusterIPs ?? [] },
  });
  const sliceInformer = informers.informer(endpointSlices, {
    transform: trimmed,
    indexes: { service: serviceOf, namedIp: namedIps },
  });
  const namespaceInformer = informers.informer(namespaces, { transform: trimmed });
  const all = [serviceInformer, sliceInformer, namespaceInformer];
  return {
    get synced() {
      return all.every(({ hasSynced }) => hasSynced);
    },
    hasNamespace: (name) => namespaceInformer.store.get("", name) !== undefined,
    service: (namespace, name) => serviceInformer.store.get(namespace, name),
    slicesOf: (namespace, service) =>
      sliceInformer.store.byIndex("service", `${namespace}/${service}`),
    servicesWithIp: (ip) => serviceInformer.store.byIndex("clusterIp", ip).filter(hasClusterIp),
    slicesWithIp: (ip) => sliceInformer.store.byIndex("namedIp", ip),
  };
}

function hasClusterIp({ spec }: Service): boolean {
  return spec?.clusterIP !== "None";
}

function serviceOf({ metadata }: EndpointSlice): string[] {
  const name = metadata.labels?.["kubernetes.io/service-name"];
  return name ? [`${metadata.namespace}/${name}`] : [];
}

/** Only endpoints with a hostname have reverse names. */
function namedIps({ endpoints }: EndpointSlice): string[] {
  return (endpoints ?? []).flatMap(({ addresses, hostname }) =>
    hostname ? (addresses ?? []).slice(0, 1) : [],
  );
}

/** Objects without fields that are not used here. */
function trimmed<T extends { metadata: object }>(object: T): T {
  return { ...object, metadata: { ...object.metadata, managedFields: undefined } };
}
