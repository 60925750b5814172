import type { ServedResource, VersionedResource } from "./served-resource.ts";

/**
 * Everything that is served now: built-in resources and custom ones, by group, version and plural name. Discovery and
 * OpenAPI are derived from it.
 */
export class Catalog {
  readonly #resources = new Map<string, ServedResource>();
  readonly #byPath = new Map<string, VersionedResource>();
  readonly #listeners = new Set<() => void>();
  /** Grows with every change, so that what is derived can be cached. */
  generation = 0;

  add(resource: ServedResource): void {
    const { handle } = resource.declaration;
    this.#resources.set(`${handle.group}/${handle.name}`, resource);
    for (const [version, versioned] of resource.versions) {
      this.#byPath.set(pathKey(handle.group, version, handle.name), versioned);
    }
    this.#changed();
  }

  remove(group: string, name: string): void {
    const resource = this.#resources.get(`${group}/${name}`);
    if (!resource) return;
    this.#resources.delete(`${group}/${name}`);
    for (const version of resource.versions.keys())
      this.#byPath.delete(pathKey(group, version, name));
    this.#changed();
  }

  find(group: string, version: string, name: string): VersionedResource | undefined {
    return this.#byPath.get(pathKey(group, version, name));
  }

  /** A resource in whatever version it is stored. */
  findResource(group: string, name: string): ServedResource | undefined {
    return this.#resources.get(`${group}/${name}`);
  }

  /** All resources, in the order in which they were added. */
  get resources(): Iterable<ServedResource> {
    return this.#resources.values();
  }

  /** Whether anything at all is served under a group version. */
  hasVersion(group: string, version: string): boolean {
    for (const { declaration, versions } of this.#resources.values()) {
      if (declaration.handle.group === group && versions.has(version)) return true;
    }
    return false;
  }

  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  #changed(): void {
    this.generation++;
    for (const listener of this.#listeners) listener();
  }
}

const pathKey = (group: string, version: string, name: string): string =>
  `${group}/${version}/${name}`;
