/** Upstream: sigs.k8s.io/kustomize/api/resource, kyaml/resid. */
import { resources as builtIn } from "#/api/index.ts";
import { parseSelector } from "#/machinery/label-parser.ts";
import { goQuote } from "#/std/go-quote.ts";
import { CommandError } from "../errors.ts";
import { kindOf, type Metadata, type Unstructured } from "../unstructured.ts";
import type { Selector } from "./kustomization.ts";

/** What an object is called. */
export interface ResourceId {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

const clusterKinds: ReadonlySet<string> = new Set(
  builtIn.filter(({ namespaced }) => !namespaced).map(({ group, kind }) => `${group}/${kind}`),
);

/** Whether objects of a kind have no namespace, as far as that is known without a server. */
export function isClusterScoped({ group, kind }: { group: string; kind: string }): boolean {
  return clusterKinds.has(`${group}/${kind}`);
}

/** Such as `Deployment.v1.apps/web.shop`. */
export function idText(id: ResourceId): string {
  const noName = id.name === "" ? "[noName]" : id.name;
  const noNamespace = id.namespace === "" ? "[noNs]" : id.namespace;
  return `${kindText(id)}/${noName}.${noNamespace}`;
}

function kindText({ group, version, kind }: ResourceId): string {
  return `${kind || "[noKind]"}.${version || "[noVer]"}.${group || "[noGrp]"}`;
}

/** Whether two ids are those of the same object; no namespace is the default one. */
export function sameId(left: ResourceId, right: ResourceId): boolean {
  return (
    left.group === right.group &&
    left.version === right.version &&
    left.kind === right.kind &&
    left.name === right.name &&
    effectiveNamespace(left) === effectiveNamespace(right)
  );
}

/** The namespace that an object without one ends up in. */
export function effectiveNamespace(id: ResourceId): string {
  if (isClusterScoped(id)) return "";
  return id.namespace === "" ? "default" : id.namespace;
}

/** An object on its way through a build, with the names that it has had. */
export class BuildResource {
  object: Unstructured;
  /** Oldest first. */
  readonly previous: ResourceId[] = [];
  readonly prefixes: string[] = [];
  readonly suffixes: string[] = [];
  needsHash = false;
  behavior = "";

  constructor(object: Unstructured) {
    this.object = object;
  }

  get metadata(): Metadata {
    this.object.metadata ??= {};
    return this.object.metadata;
  }

  get name(): string {
    return String(this.object.metadata?.name ?? "");
  }

  get namespace(): string {
    return String(this.object.metadata?.namespace ?? "");
  }

  get id(): ResourceId {
    return { ...kindOf(this.object), name: this.name, namespace: this.namespace };
  }

  get originalId(): ResourceId {
    return this.previous[0] ?? this.id;
  }

  get allIds(): readonly ResourceId[] {
    return [...this.previous, this.id];
  }

  /** Keeps the current id before it changes. */
  remember(): void {
    const { id } = this;
    if (!this.previous.some((each) => idText(each) === idText(id))) this.previous.push(id);
  }

  rename(name: string): void {
    this.remember();
    this.metadata.name = name;
  }
}

/** The one resource that has or had an id. */
export function findById(resources: readonly BuildResource[], id: ResourceId): BuildResource {
  const found = resources.filter(({ allIds }) => allIds.some((each) => sameId(each, id)));
  const [only] = found;
  if (found.length === 1 && only) return only;
  const many = found.length > 1 ? "multiple matches" : "no matches";
  throw new CommandError(
    `${many} for Id ${idText(id)}; failed to find unique target for patch ${idText(id)}`,
  );
}

/** The resources that a selector means. */
export function selectResources(
  resources: readonly BuildResource[],
  selector: Selector,
): BuildResource[] {
  const name = wholePattern(selector.name);
  const namespace = wholePattern(selector.namespace);
  const kinds = [selector.group, selector.version, selector.kind].map(wholePattern);
  return resources.filter((resource) => {
    const matches = [resource.originalId, ...resource.previous, resource.id].some(
      (id) =>
        name.test(id.name) &&
        (selector.namespace === undefined || namespace.test(effectiveNamespace(id) || "")) &&
        [id.group, id.version, id.kind].every((part, index) => kinds[index]?.test(part)),
    );
    const { labels = {}, annotations = {} } = resource.metadata;
    return (
      matches &&
      parseSelector(selector.labelSelector ?? "").matches(labels) &&
      parseSelector(selector.annotationSelector ?? "").matches(annotations)
    );
  });
}

function wholePattern(text = ""): RegExp {
  if (text === "") return /^/;
  try {
    return new RegExp(`^(?:${text.replace(/^\^/, "").replace(/\$$/, "")})$`);
  } catch (error) {
    throw new CommandError(`invalid pattern ${goQuote(text)}`, { cause: error });
  }
}
