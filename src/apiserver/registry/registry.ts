import type { Resource } from "#/api/base/resource.ts";
import type { Random } from "#/std/base/random.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";
import type { ResourceName } from "../model/resource-name.ts";
import { Catalog } from "./catalog.ts";
import { Feed } from "./feed.ts";
import { openResource, type SchemaSource } from "./open-resource.ts";
import type { ServedResource, VersionedResource } from "./served-resource.ts";
import type { Store } from "./store.ts";
import { ObjectForms } from "./stored-object.ts";
import type { Declaration } from "./strategy.ts";

interface RegistryOptions {
  readonly storage: Storage;
  readonly resources: readonly Declaration[];
  readonly clock: Clock;
  /** Default true. */
  readonly collectsGarbage?: boolean;
  /** Source of generated names and uids; default is the machine's secure source. */
  readonly random?: Random | undefined;
}

/** Every resource with its objects, kept up to date from the store. Filters and verbs look objects up here. */
export class Registry implements AsyncDisposable {
  readonly catalog = new Catalog();
  readonly forms = new ObjectForms();
  readonly clock: Clock;
  readonly storage: Storage;
  readonly feed: Feed;
  readonly collectsGarbage: boolean;
  readonly random: Random | undefined;
  /** Rejects if the store fails permanently; resolves after disposal. */
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();
  readonly #started = Promise.withResolvers<void>();

  private constructor(options: RegistryOptions) {
    const { storage, clock, collectsGarbage = true, random } = options;
    this.random = random;
    this.clock = clock;
    this.collectsGarbage = collectsGarbage;
    this.storage = storage;
    this.feed = new Feed(storage, clock);
    this.ended = this.feed.run(this.#stop.signal, this.#started.resolve);
  }

  /** Opens the resources and follows the store. Rejects if the store can't be read. */
  static async open(options: RegistryOptions): Promise<Registry> {
    const registry = new Registry(options);
    await Promise.race([registry.#started.promise, registry.ended]);
    const opening = options.resources.map((declaration) => openResource(declaration, registry));
    for (const resource of await Promise.all(opening)) registry.catalog.add(resource);
    return registry;
  }

  /** Serves one more resource, or replaces one: custom resources are added while the server runs. */
  async add(
    declaration: Declaration,
    schemaSource?: SchemaSource,
    isListed = true,
  ): Promise<ServedResource> {
    const resource = await openResource(declaration, this, schemaSource);
    const { group, name } = declaration.handle;
    this.remove(group, name);
    this.catalog.add(resource, isListed);
    return resource;
  }

  /** Stops serving a resource; its objects stay in the store. */
  remove(group: string, name: string): void {
    const resource = this.catalog.findResource(group, name);
    if (!resource) return;
    this.catalog.remove(group, name);
    resource.store.close();
  }

  /** The objects of a resource; throws for one that isn't served (programmer error). */
  store(resource: ResourceName): Store {
    const found = this.catalog.findResource(resource.group, resource.name);
    if (!found) throw new Error(`${resource.name}.${resource.group} is not served`);
    return found.store;
  }

  /** A resource in one of its versions; throws for one that isn't served (programmer error). */
  resource({ group, version, name }: Resource): VersionedResource {
    const found = this.catalog.find(group, version, name);
    if (!found) throw new Error(`${name}.${version}.${group} is not served`);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }
}
