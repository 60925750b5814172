/** Upstream: sigs.k8s.io/kustomize/api/resmap/reswrangler.go. */
import { KustomizeError } from "../failure/kustomize-error.ts";
import { mergeGenerated } from "./merge-generated.ts";
import type { Resource } from "./resource.ts";
import { goId, idKey, idText, type ResourceId, sameId } from "./resource-id.ts";

/** The objects of a build, in order; ids are unique when objects are added. */
export class ResourceMap {
  #resources: Resource[] = [];
  /** The ids of all objects as long as only append() changes them; undefined after other changes. */
  #ids: Set<string> | undefined;

  constructor(resources: readonly Resource[] = []) {
    this.append(resources);
  }

  get resources(): Resource[] {
    return this.#resources;
  }

  set resources(resources: Resource[]) {
    this.#resources = resources;
    this.#ids = undefined;
  }

  append(added: readonly Resource[]): void {
    this.#ids ??= new Set(this.resources.map(({ id }) => idKey(id)));
    const known = this.#ids;
    for (const resource of added) {
      const { id } = resource;
      const key = idKey(id);
      if (known.has(key)) {
        throw new KustomizeError(
          `may not add resource with an already registered id: ${idText(id)}`,
        );
      }
      known.add(key);
      this.resources.push(resource);
    }
  }

  dropEmpty(): void {
    this.resources = this.resources.filter(({ isEmpty }) => !isEmpty);
  }

  /** The objects whose current or previous id matches. */
  withAnyId(fits: (id: ResourceId) => boolean): Resource[] {
    return this.resources.filter((resource) => !resource.isEmpty && resource.allIds.some(fits));
  }

  /** The one object that has or had an id. */
  getById(id: ResourceId): Resource {
    const found = this.withAnyId((each) => sameId(id, each));
    const [only] = found;
    if (found.length === 1 && only) return only;
    const many = found.length > 1 ? "multiple matches" : "no matches";
    throw new KustomizeError(
      `${many} for Id ${idText(id)}; failed to find unique target for patch ${idText(id)}`,
    );
  }

  /** Adds generated objects, or merges them into those of a base. */
  absorb(made: Resource): void {
    const { id } = made;
    const [old, ...others] = this.withAnyId((each) => sameId(id, each));
    const behavior = made.annotations["internal.config.kubernetes.io/generatorBehavior"] ?? "";
    const takesPart = behavior === "merge" || behavior === "replace";
    if (!old) {
      if (takesPart) {
        throw new KustomizeError(`id ${goId(id)} does not exist; cannot merge or replace`);
      }
      this.append([made]);
      return;
    }
    if (others.length > 0) {
      const list = [old, ...others].join(" ");
      throw new KustomizeError(
        `found multiple objects [${list}] that could accept merge of ${idText(id)}`,
      );
    }
    if (!takesPart) {
      throw new KustomizeError(
        `id ${goId(id)} exists; can not use behavior: '${behavior || "unspecified"}', behavior must be merge or replace`,
      );
    }
    mergeGenerated(made, old, behavior);
    this.resources = this.resources.map((each) => (each === old ? made : each));
  }
}
