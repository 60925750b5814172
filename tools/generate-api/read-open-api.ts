import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenApiDefinitions, OpenApiSchema } from "./open-api.ts";
import type { UpstreamFolders } from "./upstream.ts";

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, PublishedSchema>> };
}

/** A schema as published: in version 3 a reference with anything beside it is wrapped in allOf. */
interface PublishedSchema
  extends Omit<OpenApiSchema, "properties" | "items" | "additionalProperties"> {
  readonly allOf?: readonly { readonly $ref: string }[];
  readonly properties?: Readonly<Record<string, PublishedSchema>>;
  readonly items?: PublishedSchema;
  readonly additionalProperties?: PublishedSchema;
}

/** A kind and the definition that describes it. */
export interface PublishedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly definition: string;
}

/** The definitions of upstream's published OpenAPI documents, version 3. They have no enumerations. */
export function readOpenApi(upstream: UpstreamFolders): OpenApiDefinitions {
  return new Map([...publishedSchemas(upstream)].map(([name, schema]) => [name, simplify(schema)]));
}

/** The kinds that upstream's published OpenAPI documents name. */
export function readPublishedKinds(upstream: UpstreamFolders): PublishedKind[] {
  return [...publishedSchemas(upstream)].flatMap(([definition, schema]) => {
    const extension = (schema as Record<string, unknown>)["x-kubernetes-group-version-kind"];
    return ((extension ?? []) as Omit<PublishedKind, "definition">[]).map((kind) => ({
      ...kind,
      definition,
    }));
  });
}

function* publishedSchemas(upstream: UpstreamFolders): Iterable<[string, PublishedSchema]> {
  const folder = join(upstream.kubernetes, "api/openapi-spec/v3");
  for (const file of readdirSync(folder).sort()) {
    const document = JSON.parse(readFileSync(join(folder, file), "utf8")) as Document;
    yield* Object.entries(document.components?.schemas ?? {});
  }
}

function simplify(schema: PublishedSchema): OpenApiSchema {
  const {
    allOf,
    $ref = allOf?.[0]?.$ref,
    properties,
    items,
    additionalProperties,
    ...rest
  } = schema;
  return {
    ...rest,
    ...($ref && { $ref: $ref.slice($ref.lastIndexOf("/") + 1) }),
    ...(items && { items: simplify(items) }),
    ...(additionalProperties && { additionalProperties: simplify(additionalProperties) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, simplify(property)]),
      ),
    }),
  };
}
