import type { Field, Schema, SpecialType, StructSchema } from "#/api/base/schema.ts";
import { groupVersions } from "#/api/group-versions.ts";
import { findDefinitionByName } from "#/machinery/schema/definitions.ts";
import { kindsOf } from "#/machinery/schema/kinds.ts";
import { publishedDefault } from "#/machinery/schema/published-default.ts";
import { lazily } from "#/std/base/lazily.ts";
import { describeDefinition } from "./describe-definition.ts";
import type { Json } from "./open-api.ts";

const metaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1";
const extensionsPackage = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** Types with a custom JSON form: their names in OpenAPI, and their schemas. */
const specials: Readonly<Record<SpecialType, readonly [name: string, schema: Json]>> = {
  quantity: [
    "io.k8s.apimachinery.pkg.api.resource.Quantity",
    { oneOf: [{ type: "string" }, { type: "number" }] },
  ],
  intOrString: [
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  ],
  time: [`${metaPackage}.Time`, { type: "string", format: "date-time" }],
  microTime: [`${metaPackage}.MicroTime`, { type: "string", format: "date-time" }],
  duration: [`${metaPackage}.Duration`, { type: "string" }],
  rawExtension: ["io.k8s.apimachinery.pkg.runtime.RawExtension", { type: "object" }],
  fieldsV1: [`${metaPackage}.FieldsV1`, { type: "object" }],
  json: [`${extensionsPackage}.JSON`, {}],
  jsonSchemaPropsOrBool: [`${extensionsPackage}.JSONSchemaPropsOrBool`, {}],
  jsonSchemaPropsOrArray: [`${extensionsPackage}.JSONSchemaPropsOrArray`, {}],
  jsonSchemaPropsOrStringArray: [`${extensionsPackage}.JSONSchemaPropsOrStringArray`, {}],
};

/** Schemas of types that no field has. */
const others: ReadonlyMap<string, Json> = new Map([[`${metaPackage}.Patch`, { type: "object" }]]);

interface Place {
  readonly group: string;
  readonly version: string;
}

/** The definitions of a document: the requested ones, and those they refer to. */
export class Definitions {
  readonly #found = new Map<string, Json>();
  readonly #place: Place | undefined;

  /**
   * With a place, kinds of metav1 that belong to every group version are listed for that one and the core group only.
   */
  constructor(place?: Place) {
    this.#place = place;
  }

  /** A reference to a definition, which is then part of the document. */
  ref(name: string): Json {
    if (!this.#found.has(name)) this.#add(name);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Adds a definition that is made elsewhere. */
  put(name: string, schema: Json): void {
    this.#found.set(name, schema);
  }

  /** All definitions, by name, with their texts. */
  get all(): Json {
    const sorted = [...this.#found].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      sorted.map(([name, schema]) => [name, describeDefinition(name, schema)]),
    );
  }

  #add(name: string): void {
    const other = others.get(name);
    const schema = other ? undefined : findDefinitionByName(name);
    this.#found.set(name, other ?? {});
    if (schema?.type === "struct") this.#found.set(name, this.#struct(schema));
  }

  #struct(schema: StructSchema): Json {
    const fields = [...schema.fields.values()];
    const names = fields.filter((field) => field.required).map((field) => field.name);
    const properties = fields
      .map((field): [string, Json] => [field.name, this.#property(field)])
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const kinds = this.#kinds(schema.name ?? "");
    return {
      type: "object",
      ...(names.length > 0 ? { required: names } : {}),
      ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
      ...(kinds.length > 0 ? { "x-kubernetes-group-version-kind": kinds } : {}),
      ...(schema.declared ? { "x-kubernetes-map-type": schema.mapType } : {}),
    };
  }

  #kinds(name: string): readonly Json[] {
    const all = kindsNamed(name);
    const place = this.#place;
    if (!place || all.length < 2) return all;
    return all.filter(
      ({ group, version }) => group === "" || (group === place.group && version === place.version),
    );
  }

  #property(field: Field): Json {
    const { schema, patchMergeKey, patchStrategy } = field;
    const initial = publishedDefault(field);
    const shape = this.#shape(schema);
    return {
      ...("$ref" in shape ? { allOf: [shape] } : shape),
      ...(initial === undefined ? {} : { default: initial }),
      ...(patchMergeKey ? { "x-kubernetes-patch-merge-key": patchMergeKey } : {}),
      ...(patchStrategy ? { "x-kubernetes-patch-strategy": patchStrategy } : {}),
    };
  }

  #shape(schema: Schema): Json {
    switch (schema.type) {
      case "struct":
        return this.ref(schema.name ?? "");
      case "list":
        return {
          type: "array",
          items: this.#shape(schema.items),
          ...(schema.declared ? { "x-kubernetes-list-type": schema.listType } : {}),
          ...(schema.keys ? { "x-kubernetes-list-map-keys": schema.keys } : {}),
        };
      case "map":
        return {
          type: "object",
          additionalProperties: this.#shape(schema.values),
          ...(schema.declared ? { "x-kubernetes-map-type": schema.mapType } : {}),
        };
      case "any":
        return { type: "object" };
      case "bytes":
        return { type: "string", format: "byte" };
      case "string":
      case "boolean":
      case "integer":
      case "number":
        return {
          type: schema.type,
          ...(schema.format ? { format: schema.format } : {}),
          ...(schema.enum ? { enum: schema.enum } : {}),
        };
      default: {
        const [name, published] = specials[schema.type];
        this.#found.set(name, published);
        return { $ref: `#/components/schemas/${name}` };
      }
    }
  }
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** The kinds of a definition: options are kinds of every group version. */
const kindsNamed = (name: string): readonly Json[] => kindsByName().get(name) ?? [];

const kindsByName = lazily(() => {
  const byName = new Map<string, Json[]>();
  const sorted = groupVersions.toSorted(
    (a, b) => compare(a.group, b.group) || compare(a.version, b.version),
  );
  for (const { group, version, package: home } of sorted) {
    for (const kind of kindsOf(group, version)) {
      const own = findDefinitionByName(`${home}.${kind}`) ? home : metaPackage;
      const known = byName.get(`${own}.${kind}`) ?? [];
      byName.set(`${own}.${kind}`, [...known, { group, kind, version }]);
    }
  }
  return byName;
});
