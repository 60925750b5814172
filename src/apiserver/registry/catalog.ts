import type { ResourceName } from "../model/resource-name.ts";
import type { ServedResource, VersionedResource } from "./served-resource.ts";

/**
 * Everything that is served now: built-in resources and custom ones, by group, version and plural name. Discovery and
 * OpenAPI are derived from it.
 */
export class Catalog {
  readonly #resources = new Map<string, ServedResource>();
  /** The same resources by each group in which they are served. */
  readonly #byName = new Map<string, ServedResource>();
  readonly #byPath = new Map<string, VersionedResource>();
  /** Served, but not listed in discovery yet. */
  readonly #unlisted = new Set<string>();
  readonly #listeners = new Set<() => void>();
  /** Increases with every change: a cache key for derived documents. */
  generation = 0;

  /** Serves a resource. Discovery shows it at once, or after a call of list(). */
  add(resource: ServedResource, isListed = true): void {
    const { handle } = resource.declaration;
    if (isListed) this.#unlisted.delete(nameKey(handle));
    else this.#unlisted.add(nameKey(handle));
    this.#resources.set(nameKey(handle), resource);
    this.#byName.set(nameKey(handle), resource);
    for (const versioned of resource.versions.values()) {
      const { handle: served } = versioned.version;
      this.#byName.set(nameKey(served), resource);
      this.#byPath.set(pathKey(served.group, served.version, served.name), versioned);
    }
    this.#changed();
  }

  /** Lists a served resource in discovery. */
  list(group: string, name: string): void {
    if (this.#unlisted.delete(`${group}/${name}`)) this.#changed();
  }

  remove(group: string, name: string): void {
    const resource = this.findResource(group, name);
    if (!resource) return;
    this.#resources.delete(nameKey(resource.declaration.handle));
    this.#byName.delete(nameKey(resource.declaration.handle));
    for (const { version } of resource.versions.values()) {
      this.#byName.delete(nameKey(version.handle));
      this.#byPath.delete(
        pathKey(version.handle.group, version.handle.version, version.handle.name),
      );
    }
    this.#changed();
  }

  find(group: string, version: string, name: string): VersionedResource | undefined {
    return this.#byPath.get(pathKey(group, version, name));
  }

  /** A resource, whatever its stored version. */
  findResource(group: string, name: string): ServedResource | undefined {
    return this.#byName.get(`${group}/${name}`);
  }

  /** All resources, in the order in which they were added. */
  get resources(): Iterable<ServedResource> {
    return this.#resources.values();
  }

  /** The resources that discovery and OpenAPI show. */
  get listed(): Iterable<ServedResource> {
    if (this.#unlisted.size === 0) return this.#resources.values();
    return [...this.#resources].flatMap(([key, resource]) =>
      this.#unlisted.has(key) ? [] : [resource],
    );
  }

  /** Whether any resource is served under a group version. */
  hasVersion(group: string, version: string): boolean {
    for (const { version: served } of this.#byPath.values()) {
      if (served.handle.group === group && served.handle.version === version) return true;
    }
    return false;
  }

  /** Whether the group's paths are served by a router. */
  isRouted(group: string): boolean {
    for (const { version, resource } of this.#byPath.values()) {
      if (version.handle.group === group && resource.declaration.isRouted) return true;
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

const nameKey = ({ group, name }: ResourceName): string => `${group}/${name}`;
const pathKey = (group: string, version: string, name: string): string =>
  `${group}/${version}/${name}`;
