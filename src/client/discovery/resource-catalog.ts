/**
 * Upstream: staging/src/k8s.io/client-go/restmapper,
 * staging/src/k8s.io/client-go/discovery/helper.go.
 */
import type { Resource } from "#/api/base/resource.ts";
import { apiVersionOf, parseApiVersion } from "#/machinery/meta/api-version.ts";
import type { Client } from "../client.ts";
import type { DynamicObject } from "../dynamic-object.ts";
import { discover } from "./discover.ts";
import type { DiscoveredGroup } from "./discovered-group.ts";

/** A handle for objects of any kind. */
export type DynamicResource = Resource<DynamicObject>;

/** All resources of a server at one moment. */
export class ResourceCatalog {
  /** Every version of every resource. */
  readonly resources: readonly DynamicResource[];
  /** Each resource once, in the version its server prefers. */
  readonly preferred: readonly DynamicResource[];
  /**
   * Group versions of servers that did not respond, as "metrics.k8s.io/v1beta1": their resources
   * are unknown.
   */
  readonly stale: readonly string[];
  readonly #byKind = new Map<string, DynamicResource>();

  constructor(groups: readonly DiscoveredGroup[]) {
    const versions = groups.flatMap(({ group, versions: all }) =>
      all.map((version) => ({ group, ...version })),
    );
    this.resources = versions.flatMap(({ resources }) => resources);
    this.stale = versions.filter(({ stale }) => stale).map(apiVersionOf);
    const preferred = new Map<string, DynamicResource>();
    for (const resource of this.resources) {
      const name = `${resource.name}.${resource.group}`;
      if (!preferred.has(name)) preferred.set(name, resource);
      this.#byKind.set(kindKey(apiVersionOf(resource), resource.kind), resource);
    }
    this.preferred = [...preferred.values()];
  }

  /**
   * The resource of a kind, in the version given, or in the preferred one if that version is not
   * served.
   */
  findKind({
    apiVersion,
    kind,
  }: {
    apiVersion: string;
    kind: string;
  }): DynamicResource | undefined {
    const exact = this.#byKind.get(kindKey(apiVersion, kind));
    if (exact) return exact;
    const { group } = parseApiVersion(apiVersion);
    return this.preferred.find((one) => one.group === group && one.kind === kind);
  }

  /** The resource of a plural name, in the preferred version. */
  findName(group: string, name: string): DynamicResource | undefined {
    return this.preferred.find((one) => one.group === group && one.name === name);
  }

  /**
   * The resources that a group, a version and a plural or singular name mean. The empty group stands for all groups, as in
   * upstream's mapper of discovered resources.
   */
  kindsFor(group: string, version: string, name: string): readonly DynamicResource[] {
    const wanted = name.toLowerCase();
    return this.resources.filter(
      (one) =>
        (group === "" || one.group === group) &&
        one.version === version &&
        (one.name === wanted || singularOf(one) === wanted),
    );
  }

  /** Preferred resources that support all these verbs. */
  withVerbs(...verbs: readonly string[]): readonly DynamicResource[] {
    return this.preferred.filter((one) => verbs.every((verb) => one.verbs.includes(verb)));
  }
}

const kindKey = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;

/** Servers of old don't say what the singular is. */
const singularOf = ({ singular, kind }: DynamicResource): string => singular || kind.toLowerCase();

/** Requests the catalog of a server. */
export async function openCatalog(client: Client): Promise<ResourceCatalog> {
  return new ResourceCatalog(await discover(client));
}
