/** Upstream: staging/src/k8s.io/cli-runtime/pkg/resource/visitor.go (Info). */
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { kindText, type Unstructured } from "../base/unstructured.ts";
import type { ClusterAccess } from "../command/cluster-access.ts";
import type { Mapping } from "../discovery/discovered-group.ts";

/** An object of a command line, or a list of objects. */
export class ResourceInfo {
  readonly #cluster: ClusterAccess;
  readonly #mapping: Mapping | undefined;
  namespace: string;
  name: string;
  /** Undefined until it is read. */
  object: Unstructured | undefined;
  /** The file, URL or "STDIN" that it was read from; "" if it was given by name. */
  source: string;
  subresource: string;

  constructor(
    cluster: ClusterAccess,
    mapping: Mapping | undefined,
    fields: {
      readonly namespace?: string | undefined;
      readonly name?: string | undefined;
      readonly object?: Unstructured;
      readonly source?: string;
      readonly subresource?: string;
    },
  ) {
    this.#cluster = cluster;
    this.#mapping = mapping;
    this.namespace = fields.namespace ?? "";
    this.name = fields.name ?? "";
    this.object = fields.object;
    this.source = fields.source ?? "";
    this.subresource = fields.subresource ?? "";
  }

  /** The resource; a local object has none. */
  get mapping(): Mapping {
    if (!this.#mapping) throw new Error("local operation only");
    return this.#mapping;
  }

  get isMapped(): boolean {
    return this.#mapping !== undefined;
  }

  get namespaced(): boolean {
    return this.#mapping ? this.#mapping.namespaced : this.namespace !== "";
  }

  /** Reads the object from the server. If its namespace is missing, that is reported instead of the missing object. */
  async get(headers?: Readonly<Record<string, string>>, query: Query = {}): Promise<Unstructured> {
    const client = await this.#cluster.client();
    try {
      this.object = await client.request<Unstructured>({
        method: "GET",
        path: objectPath(this),
        query,
        ...(headers ? { headers } : {}),
      });
      return this.object;
    } catch (error) {
      if (isNotFound(error) && this.namespace !== "" && this.namespace !== "default") {
        await this.#requireNamespace();
      }
      throw error;
    }
  }

  async #requireNamespace(): Promise<void> {
    const client = await this.#cluster.client();
    try {
      await client.request({
        method: "GET",
        path: `/api/v1/namespaces/${encodeURIComponent(this.namespace)}`,
      });
    } catch (error) {
      if (isNotFound(error)) throw error;
    }
  }

  /** Replaces the object by the server's response. */
  refresh(object: Unstructured): void {
    this.name = object.metadata?.name ?? "";
    this.namespace = object.metadata?.namespace ?? "";
    this.object = object;
  }

  /** `pods/web`. */
  objectName(): string {
    if (this.#mapping) return `${this.#mapping.name}/${this.name}`;
    return `${kindText(this.object ?? {})}/${this.name}`;
  }

  /** The kind of the items in a list of this resource. */
  mappedKind(): { apiVersion: string; kind: string } {
    return { apiVersion: apiVersionOf(this.mapping), kind: this.mapping.kind };
  }

  ref(): { name: string; namespace: string } {
    return { name: this.name, namespace: this.namespace };
  }
}

type Query = Readonly<Record<string, string | undefined>>;

/** The path of an object, or of its requested subresource. */
export function objectPath(info: ResourceInfo): string {
  const { group, version, name, namespaced } = info.mapping;
  return [
    group === "" ? "/api" : `/apis/${group}`,
    version,
    ...(namespaced ? ["namespaces", encodeURIComponent(info.namespace)] : []),
    name,
    encodeURIComponent(info.name),
    ...(info.subresource === "" ? [] : [info.subresource]),
  ].join("/");
}
