import type { JsonSchema } from "./json-schema.ts";

/** A schema that a server publishes; its parts may be references into the document. */
interface PublishedSchema extends JsonSchema {
  readonly $ref?: string;
  readonly items?: PublishedSchema;
  readonly properties?: Readonly<Record<string, PublishedSchema>>;
  readonly additionalProperties?: boolean | PublishedSchema;
  readonly allOf?: readonly PublishedSchema[];
  readonly "x-kubernetes-group-version-kind"?: readonly Partial<PublishedKind>[];
}

/** The kind of a schema's objects. */
interface PublishedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The OpenAPI v3 document of a group version, only the needed parts. */
export interface PublishedSchemas {
  readonly components?: {
    readonly schemas?: Readonly<Record<string, PublishedSchema>>;
  };
}

const prefix = "#/components/schemas/";

/**
 * The schema of a kind with its references resolved; undefined if it is not in the document. A
 * recursive schema is an object of unknown fields.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/openapi/resolver.
 */
export function findPublishedSchema(
  { components: { schemas = {} } = {} }: PublishedSchemas,
  target: PublishedKind,
): JsonSchema | undefined {
  const isTarget = ({ group, version, kind }: Partial<PublishedKind>) =>
    group === target.group && version === target.version && kind === target.kind;
  const found = Object.entries(schemas).find(([, schema]) =>
    schema["x-kubernetes-group-version-kind"]?.some(isTarget),
  );
  if (!found) return undefined;
  const [name, schema] = found;
  return populate(schema, new Map(Object.entries(schemas)), new Set([prefix + name]));
}

function populate(
  given: PublishedSchema,
  schemas: ReadonlyMap<string, PublishedSchema>,
  around: ReadonlySet<string>,
): JsonSchema | undefined {
  const ref = refOf(given);
  if (ref !== undefined && around.has(ref)) return { type: "object" };
  const schema = ref === undefined ? given : schemas.get(ref.slice(prefix.length));
  if (schema === undefined) return undefined;
  const within = ref === undefined ? around : new Set([...around, ref]);
  const part = (one: PublishedSchema) => populate(one, schemas, within);
  const { items, properties, additionalProperties, format, ...rest } = schema;
  const values =
    typeof additionalProperties === "object" ? part(additionalProperties) : additionalProperties;
  const fields = Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const populated = part(property);
    return populated ? [[name, populated] as const] : [];
  });
  const element = items && part(items);
  return {
    ...rest,
    ...(format !== undefined && { format }),
    // Built-in types declare this by their format, custom ones by the extension.
    ...(format === "int-or-string" && { "x-kubernetes-int-or-string": true }),
    ...(properties && { properties: Object.fromEntries(fields) }),
    ...(values !== undefined && { additionalProperties: values }),
    ...(element && { items: element }),
  };
}

/**
 * The reference of a schema: it may be wrapped in allOf, to have its own description and default.
 */
function refOf({ $ref, allOf = [] }: PublishedSchema): string | undefined {
  return $ref ?? allOf.map(refOf).find((ref) => ref !== undefined);
}
