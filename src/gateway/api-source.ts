import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "#/api/apiextensions/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { type ConfigMap, configMaps, type Namespace, namespaces } from "#/api/core/v1.ts";
import type { Informer } from "#/client/informers/informer.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { trustOf } from "#/std/tls/trust.ts";
import {
  backendTlsPolicies,
  gatewayClasses,
  gatewayGroup,
  gateways,
  grpcRoutes,
  httpRoutes,
  listenerSets,
  referenceGrants,
  tlsRoutes,
} from "./api/gateway-resources.ts";

const known: readonly Resource[] = [
  gatewayClasses,
  gateways,
  httpRoutes,
  grpcRoutes,
  tlsRoutes,
  referenceGrants,
  listenerSets,
  backendTlsPolicies,
];
/** The key of a ConfigMap with the certificates of authorities. */
const authoritiesKey = "ca.crt";
/** Versions of a resource that mean the same to the gateway, the best first. */
const versions = ["v1", "v1beta1", "v1alpha3", "v1alpha2"];

/** The objects of the Gateway API, as far as its custom resources are installed: they may come and go. */
export class GatewayApiSource {
  readonly #informers: Informers;
  readonly #onChange: () => void;
  readonly #definitions: Informer<CustomResourceDefinition>;
  /** The handle in the served version, and the informer, by plural name. */
  readonly #served = new Map<string, { resource: Resource; informer: Informer<unknown> }>();
  #namespaces: Informer<Namespace> | undefined;
  #configMaps: Informer<ConfigMap> | undefined;

  constructor(informers: Informers, onChange: () => void) {
    this.#informers = informers;
    this.#onChange = onChange;
    this.#definitions = informers.informer(customResourceDefinitions, { transform: withoutSchema });
    const look = (definition: CustomResourceDefinition): void => {
      if (definition.spec.group === gatewayGroup) this.#look();
    };
    this.#definitions.subscribe({ added: look, updated: look, deleted: look });
  }

  /** All objects of a resource; none while it is not served. */
  list<T>(resource: Resource<T>): readonly T[] {
    return (this.#served.get(resource.name)?.informer.store.list() ?? []) as readonly T[];
  }

  /** The handle of a resource in the version that is served; undefined while it is not. */
  served<T>(resource: Resource<T>): Resource<T> | undefined {
    return this.#served.get(resource.name)?.resource as Resource<T> | undefined;
  }

  labelsOf(namespace: string): Readonly<Record<string, string>> | undefined {
    return this.#namespaces?.store.getByKey(namespace)?.metadata.labels;
  }

  /** The certificates of authorities in a ConfigMap, or why there are none. */
  authorities(namespace: string, name: string): { pem: string } | { problem: string } {
    const subject = `ConfigMap ${namespace}/${name}`;
    const found = this.#followConfigMaps().store.get(namespace, name);
    if (!found) return { problem: `${subject} does not exist` };
    const pem = found.data?.[authoritiesKey] ?? "";
    return trustOf(pem).roots.length > 0
      ? { pem }
      : { problem: `${subject} has no certificate in ${authoritiesKey}` };
  }

  /** Followed from the first policy that names one; only their certificates are kept. */
  #followConfigMaps(): Informer<ConfigMap> {
    if (this.#configMaps) return this.#configMaps;
    const informer = this.#informers.informer(configMaps, { transform: onlyAuthorities });
    this.#configMaps = informer;
    const changed = (before?: ConfigMap, after?: ConfigMap): void => {
      if (before?.data?.[authoritiesKey] !== after?.data?.[authoritiesKey]) this.#onChange();
    };
    informer.subscribe({
      added: (one) => changed(undefined, one),
      updated: (one, before) => changed(before, one),
      deleted: (one) => changed(one),
    });
    return informer;
  }

  /** Begins and ends informers as definitions come and go. */
  #look(): void {
    const definitions = new Map(
      this.#definitions.store.list().map((one) => [one.metadata.name ?? "", one]),
    );
    for (const resource of known) {
      const definition = definitions.get(`${resource.name}.${gatewayGroup}`);
      const version = definition && servedVersion(definition);
      const before = this.#served.get(resource.name);
      if (before?.resource.version === version) continue;
      if (before) {
        this.#served.delete(resource.name);
        this.#informers.stop(before.resource);
      }
      if (version) this.#follow({ ...resource, version });
      this.#onChange();
    }
    if (this.#served.size > 0) this.#followNamespaces();
  }

  #follow(resource: Resource): void {
    const informer = this.#informers.informer(resource);
    this.#served.set(resource.name, { resource, informer });
    const changed = this.#onChange;
    informer.subscribe({ added: changed, updated: changed, deleted: changed });
  }

  #followNamespaces(): void {
    if (this.#namespaces) return;
    this.#namespaces = this.#informers.informer(namespaces);
    const changed = this.#onChange;
    this.#namespaces.subscribe({ added: changed, updated: changed, deleted: changed });
  }
}

/** The best version of a definition that is served; undefined if there is none yet. */
function servedVersion({ spec, status }: CustomResourceDefinition): string | undefined {
  if (!hasCondition(status?.conditions, "Established")) return undefined;
  const served = new Set(spec.versions.filter((one) => one.served).map(({ name }) => name));
  return versions.find((version) => served.has(version));
}

function onlyAuthorities({ metadata, data }: ConfigMap): ConfigMap {
  const { name = "", namespace = "", resourceVersion = "" } = metadata;
  const pem = data?.[authoritiesKey];
  return {
    metadata: { name, namespace, resourceVersion },
    ...(pem === undefined ? {} : { data: { [authoritiesKey]: pem } }),
  };
}

/** A definition without what the gateway does not read: schemas are by far the largest part. */
function withoutSchema(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { metadata, spec, status } = definition;
  return {
    metadata: { name: metadata.name ?? "" },
    spec: {
      group: spec.group,
      names: spec.names,
      scope: spec.scope,
      versions: spec.versions.map(({ name, served, storage }) => ({ name, served, storage })),
    },
    ...(status ? { status } : {}),
  };
}
