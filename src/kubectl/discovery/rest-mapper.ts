/** Upstream: staging/src/k8s.io/apimachinery/pkg/api/meta/restmapper.go, staging/src/k8s.io/client-go/restmapper. */
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { NoResourceMatch } from "../base/errors.ts";
import type { GroupVersionKind } from "../base/unstructured.ts";
import type { DiscoveredGroup, Mapping } from "./discovered-group.ts";
import type { Discovery } from "./discovery.ts";

/** A resource type as a user writes it: `deploy`, `deployments.apps`, `deployments.v1.apps`. */
interface Partial {
  readonly resource: string;
  readonly group: string;
  readonly version: string;
}

/** A kind that the server doesn't have. */
export class NoKindMatch extends Error {
  override readonly name = "NoKindMatch";

  constructor({ group, version, kind }: GroupVersionKind) {
    const place =
      version === ""
        ? `group ${JSON.stringify(group)}`
        : `version ${JSON.stringify(apiVersionOf({ group, version }))}`;
    super(`no matches for kind ${JSON.stringify(kind)} in ${place}`);
  }
}

/**
 * Number of requests of upstream's mapper to a server that does not respond: for short names, for resources with each form of
 * an argument, then for each form of a kind.
 */
const attempts = {
  resource: (argument: string): number => (fullResource(argument) ? 4 : 2),
  resourceOrKind: (argument: string): number => attempts.resource(argument) + 2,
  kind: 1,
};

/** Finds resources by the names that users write. */
export class RestMapper {
  readonly #discovery: Discovery;
  readonly #warn: (text: string) => void;

  constructor(discovery: Discovery, warn: (text: string) => void) {
    this.#discovery = discovery;
    this.#warn = warn;
  }

  /** The resource that an argument names: by plural, singular, short name or kind. */
  async mappingFor(argument: string): Promise<Mapping> {
    const found = await this.#twice(
      (groups) => this.#find(groups, argument),
      attempts.resourceOrKind(argument),
    );
    if (found) return found;
    const { resource, group } = groupResource(argument);
    throw new NoResourceMatch(resource, group);
  }

  /** The resource of an argument that can't be a kind, in any version; undefined if there is none. */
  findResource(argument: string): Promise<Mapping | undefined> {
    return this.#twice(
      (groups) => this.#findResource(groups, argument),
      attempts.resource(argument),
    );
  }

  /** Every resource of a name, in the order of preference; empty if there is none. */
  async allFor(name: string): Promise<readonly Mapping[]> {
    const find = (groups: readonly DiscoveredGroup[]): Mapping[] => {
      const wanted = this.#expand(groups, { resource: name.toLowerCase(), group: "", version: "" });
      return allMatching(groups, wanted);
    };
    const found = find(await this.#discovery.groups(attempts.resource(name)));
    if (found.length > 0 || !this.#discovery.invalidate()) return found;
    return find(await this.#discovery.groups());
  }

  /** The resource of a kind in a version, or in the preferred one if that is "". Throws NoKindMatch. */
  async forKind(kind: GroupVersionKind): Promise<Mapping> {
    const found = await this.#twice((groups) => findKind(groups, kind), attempts.kind);
    if (found) return found;
    throw new NoKindMatch(kind);
  }

  /** The resource types of a category such as "all", as arguments. */
  async expandCategory(name: string): Promise<string[] | undefined> {
    // Without a response no category is known; the next lookup requests it again, and fails.
    const groups = await this.#discovery.groups().catch((): readonly DiscoveredGroup[] => []);
    const members = allMappings(groups).filter(({ categories }) => categories.includes(name));
    if (members.length === 0) return undefined;
    return members.map(({ name: resource, group }) =>
      group === "" ? resource : `${resource}.${group}`,
    );
  }

  /** Repeats a lookup with fresh data if the cached data has no match. */
  async #twice(
    find: (groups: readonly DiscoveredGroup[]) => Mapping | undefined,
    attempts: number,
  ): Promise<Mapping | undefined> {
    const found = find(await this.#discovery.groups(attempts));
    if (found || !this.#discovery.invalidate()) return found;
    return find(await this.#discovery.groups());
  }

  #find(groups: readonly DiscoveredGroup[], argument: string): Mapping | undefined {
    return this.#findResource(groups, argument) ?? findKindArgument(groups, argument);
  }

  #findResource(groups: readonly DiscoveredGroup[], argument: string): Mapping | undefined {
    const full = fullResource(argument);
    return (
      (full && matching(groups, this.#expand(groups, full))) ??
      matching(groups, this.#expand(groups, { ...groupResource(argument), version: "" }))
    );
  }

  /** Expands short names. */
  #expand(groups: readonly DiscoveredGroup[], wanted: Partial): Partial {
    const all = allMappings(groups);
    const isFull = ({ name, singular, group }: Mapping): boolean =>
      (wanted.group === "" || wanted.group === group) && [name, singular].includes(wanted.resource);
    if (all.some(isFull)) return wanted;
    const short = all.filter(({ shortNames }) => shortNames.includes(wanted.resource));
    const exact = short.filter(({ group }) => wanted.group === "" || wanted.group === group);
    const [first] = exact;
    if (first) {
      this.#warnOfOthers(wanted.resource, first, exact);
      return { resource: first.name, group: first.group, version: "" };
    }
    const near =
      wanted.group === "" ? undefined : short.find(({ group }) => group.startsWith(wanted.group));
    return near ? { ...wanted, resource: near.name, group: near.group } : wanted;
  }

  #warnOfOthers(shortName: string, first: Mapping, all: readonly Mapping[]): void {
    const others = all
      .filter(({ name, group }) => name !== first.name || group !== first.group)
      .map(({ name, group }) => (group === "" ? name : `${name}.${group}`));
    for (const other of new Set(others)) {
      this.#warn(
        `short name ${JSON.stringify(shortName)} could also match lower priority resource ${other}`,
      );
    }
  }
}

/** Every resource of every version, in the order of preference. */
function allMappings(groups: readonly DiscoveredGroup[]): Mapping[] {
  return groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
}

/** Parses `resource.version.group`; undefined if it is not of this form. */
function fullResource(argument: string): Partial | undefined {
  const [resource = "", version, ...group] = argument.split(".");
  if (version === undefined || group.length === 0) return undefined;
  return { resource, version, group: group.join(".") };
}

/** `resource.group`. */
export function groupResource(argument: string): { resource: string; group: string } {
  const dot = argument.indexOf(".");
  return dot < 0
    ? { resource: argument, group: "" }
    : { resource: argument.slice(0, dot), group: argument.slice(dot + 1) };
}

/** The first resource of a name. */
function matching(groups: readonly DiscoveredGroup[], wanted: Partial): Mapping | undefined {
  return allMatching(groups, wanted)[0];
}

/** The resources of a name; a prefix of the group is enough. */
function allMatching(groups: readonly DiscoveredGroup[], wanted: Partial): Mapping[] {
  const name = wanted.resource.toLowerCase();
  const candidates = allMappings(groups).filter(
    (mapping) =>
      (mapping.name === name || mapping.singular === name) &&
      (wanted.version === "" || mapping.version === wanted.version),
  );
  if (wanted.group === "") return candidates;
  const exact = candidates.filter(({ group }) => group === wanted.group);
  return exact.length > 0
    ? exact
    : candidates.filter(({ group }) => group.startsWith(wanted.group));
}

function findKindArgument(
  groups: readonly DiscoveredGroup[],
  argument: string,
): Mapping | undefined {
  const [kind = "", version, ...rest] = argument.split(".");
  const isFull = version !== undefined && rest.length > 0;
  const full = isFull ? findAnyCase(groups, { kind, version, group: rest.join(".") }) : undefined;
  if (full) return full;
  const { resource, group } = groupResource(argument);
  return findAnyCase(groups, { kind: resource, group, version: "" });
}

/** The resource of a kind, which may be in lower case: the output of `-o name` can be used as an argument. */
function findAnyCase(
  groups: readonly DiscoveredGroup[],
  wanted: GroupVersionKind,
): Mapping | undefined {
  const small = allMappings(groups).find(
    ({ kind, group, version }) =>
      kind.toLowerCase() === wanted.kind &&
      group === wanted.group &&
      (wanted.version === "" || version === wanted.version),
  );
  return findKind(groups, wanted) ?? small;
}

function findKind(
  groups: readonly DiscoveredGroup[],
  wanted: GroupVersionKind,
): Mapping | undefined {
  return allMappings(groups).find(
    ({ kind, group, version }) =>
      kind === wanted.kind &&
      group === wanted.group &&
      (wanted.version === "" || version === wanted.version),
  );
}
