/** Upstream: k8s.io/kube-openapi/pkg/util/proto. */
import type { GroupVersionKind } from "../base/unstructured.ts";
import {
  isSameKind,
  type OpenApiSchema,
  type OpenApiV2Document,
} from "../discovery/open-api-schema.ts";

interface ModelBase {
  readonly description: string;
  /** The definition that contains it, with the path of fields. */
  readonly path: string;
}

/** A schema of version 2 of OpenAPI, by the type of its values. */
export type Model = ModelBase &
  (
    | { readonly type: "array"; readonly items: Model }
    | { readonly type: "map"; readonly values: Model }
    | { readonly type: "primitive"; readonly name: string }
    /** Anything at all. */
    | { readonly type: "arbitrary" }
    | { readonly type: "reference"; readonly name: string; readonly target: () => Model }
    | {
        readonly type: "kind";
        readonly fields: ReadonlyMap<string, Model>;
        readonly required: readonly string[];
      }
  );

const definitionsPrefix = "#/definitions/";

/** The models of a document, each created at first use. */
export class Models {
  readonly #document: OpenApiV2Document;
  readonly #models = new Map<string, Model>();

  constructor(document: OpenApiV2Document) {
    this.#document = document;
  }

  /** The model of a kind. */
  find(kind: GroupVersionKind): Model | undefined {
    const names = Object.entries(this.#document.definitions ?? {}).filter(([, schema]) =>
      schema["x-kubernetes-group-version-kind"]?.some((each) => isSameKind(each, kind)),
    );
    const name = names
      .map(([each]) => each)
      .sort()
      .at(-1);
    return name === undefined ? undefined : this.#named(name);
  }

  #named(name: string): Model {
    const known = this.#models.get(name);
    if (known) return known;
    const model = this.#parse(this.#document.definitions?.[name] ?? {}, name);
    this.#models.set(name, model);
    return model;
  }

  #parse(schema: OpenApiSchema, path: string): Model {
    const { description = "", type = "", properties, additionalProperties } = schema;
    const base = { description, path };
    if (schema.$ref) {
      const name = schema.$ref.slice(definitionsPrefix.length);
      return { ...base, type: "reference", name, target: () => this.#named(name) };
    }
    if (properties && (type === "" || type === "object")) {
      const fields = Object.keys(properties)
        .sort()
        .map((name) => [name, this.#parse(properties[name] ?? {}, `${path}.${name}`)] as const);
      return { ...base, type: "kind", fields: new Map(fields), required: schema.required ?? [] };
    }
    if (type === "") return { ...base, type: "arbitrary" };
    if (type === "array") {
      return { ...base, type: "array", items: this.#parse(schema.items ?? {}, path) };
    }
    if (type !== "object") return { ...base, type: "primitive", name: type };
    const values: Model =
      typeof additionalProperties === "object"
        ? this.#parse(additionalProperties, path)
        : { ...base, type: "arbitrary" };
    return { ...base, type: "map", values };
  }
}
