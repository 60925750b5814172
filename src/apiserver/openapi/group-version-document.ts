import { createHash } from "node:crypto";
import { kubernetesMinor } from "#/api/base/kubernetes-version.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import { customListSchema, customNames, customSchema } from "./custom-schema.ts";
import type { Json } from "./open-api.ts";
import { type Operation, pathItem } from "./operation.ts";
import { Definitions } from "./publish-schema.ts";
import { discoveryId, resourcePaths, tagOf } from "./resource-paths.ts";
import { pathItemToV2, schemaToV2 } from "./to-v2.ts";

const metaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1";
const discoveryTypes = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];

/** An encoded document. */
export interface Sent {
  readonly bytes: Uint8Array;
  /** SHA-512 in capital hexadecimal digits. */
  readonly hash: string;
}

/** The hash of a document. */
export function sent(bytes: Uint8Array): Sent {
  return { bytes, hash: createHash("sha512").update(bytes).digest("hex").toUpperCase() };
}

/** The part of a group version in the document of OpenAPI v2, as JSON. */
export interface Contribution {
  readonly paths: ReadonlyMap<string, string>;
  readonly definitions: ReadonlyMap<string, string>;
}

/**
 * OpenAPI of one group version (or of a group, or of all, with only discovery). Made on demand, and again after it was
 * not used for a while; the hash is kept.
 */
export class GroupVersionDocument {
  readonly resources: readonly VersionedResource[];
  readonly #place: { readonly group: string; readonly version: string };
  #v3: Sent | undefined;
  #v2: Contribution | undefined;
  #hash: string | undefined;
  #isUsed = false;

  constructor(
    place: { readonly group: string; readonly version: string },
    resources: readonly VersionedResource[],
  ) {
    this.#place = place;
    this.resources = resources;
  }

  /** The document of OpenAPI v3. */
  get v3(): Sent {
    this.#isUsed = true;
    this.#v3 ??= this.#makeV3();
    return this.#v3;
  }

  /** The hash of that document. */
  get hash(): string {
    this.#hash ??= this.v3.hash;
    return this.#hash;
  }

  get v2(): Contribution {
    this.#isUsed = true;
    this.#v2 ??= this.#makeV2();
    return this.#v2;
  }

  /** Drops documents that were not used since the last call. */
  forgetUnused(): void {
    if (!this.#isUsed) {
      this.#v3 = undefined;
      this.#v2 = undefined;
    }
    this.#isUsed = false;
  }

  /** A reference to a definition. */
  get #isDefined(): boolean {
    return this.resources.some(({ version }) => version.openApi);
  }

  #makeV3(): Sent {
    const definitions = new Definitions(this.#isDefined ? undefined : this.#place);
    const paths = this.#paths(definitions, false).map(([path, operations]) => [
      path,
      pathItem(operations),
    ]);
    const security = {
      securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
    };
    const document: Json = {
      openapi: "3.0.0",
      info: this.#isDefined
        ? { title: "Kubernetes CRD Swagger", version: "v0.1.0" }
        : { title: "Kubernetes", version: kubernetesMinor },
      paths: Object.fromEntries(paths),
      components: { schemas: definitions.all, ...(this.#isDefined ? {} : security) },
    };
    return sent(Buffer.from(JSON.stringify(document)));
  }

  #makeV2(): Contribution {
    const definitions = new Definitions();
    const paths = this.#paths(definitions, true);
    return {
      paths: new Map(
        paths.map(([path, operations]) => [path, JSON.stringify(pathItemToV2(operations))]),
      ),
      definitions: new Map(
        Object.entries(definitions.all).map(([name, one]) => [
          name,
          JSON.stringify(schemaToV2(one)),
        ]),
      ),
    };
  }

  #paths(definitions: Definitions, forV2: boolean): [string, Operation[]][] {
    const paths = this.resources.flatMap((target) => {
      const names = publish(target, definitions, forV2);
      return resourcePaths(target, definitions, names);
    });
    if (!this.#isDefined) paths.push(this.#discovery(definitions));
    return paths.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #discovery(definitions: Definitions): [string, Operation[]] {
    const { group, version } = this.#place;
    const kind = version === "" ? "APIGroup" : "APIResourceList";
    const root = group === "" ? "/api/" : `/apis/${group}/`;
    const operation: Operation = {
      method: "get",
      tag: tagOf(this.#place),
      id: discoveryId(this.#place),
      parameters: [],
      produces: discoveryTypes,
      codes: [200],
      answer: definitions.ref(`${metaPackage}.${kind}`),
    };
    return [version === "" ? root : `${root}${version}/`, [operation]];
  }
}

/** Adds the schemas of a resource and of its list to the definitions; returns their names. */
function publish(
  { schema, version }: VersionedResource,
  definitions: Definitions,
  forV2: boolean,
): { object: string; list: string } {
  const { handle, openApi } = version;
  if (openApi) {
    const names = customNames(handle, openApi.listKind);
    const selectable = selectableFields(openApi.selectableFields ?? []);
    const object = customSchema(openApi.schema, handle, definitions, forV2);
    const list = customListSchema(handle, names, definitions);
    definitions.put(names.object, { ...object, ...selectable });
    definitions.put(names.list, { ...list, ...selectable });
    return names;
  }
  const list = findSchema(handle.group, handle.version, `${handle.kind}List`);
  const { name = "" } = schema;
  return { object: name, list: list?.name ?? name };
}

const selectableFields = (paths: readonly string[]): Json =>
  paths.length === 0
    ? {}
    : { "x-kubernetes-selectable-fields": paths.map((fieldPath) => ({ fieldPath })) };

/** "api/v1" or "apis/apps/v1": the path of a document below /openapi/v3. */
export function documentPath(place: { group: string; version: string }): string {
  const root = place.group === "" ? "api" : "apis";
  if (place.version === "") return place.group === "" ? root : `${root}/${place.group}`;
  return `${root}/${apiVersionOf(place)}`;
}
