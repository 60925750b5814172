import { isObject, type Json } from "./open-api.ts";
import type { Operation, Parameter } from "./operation.ts";
import { parameterTexts } from "./operation-texts.ts";

/**
 * OpenAPI v2 from the parts of v3.
 * Upstream: kube-openapi/pkg/schemaconv, pkg/builder.
 */

/**
 * A schema without the keywords that v2 does not have: defaults, alternatives, and references with siblings in allOf.
 */
export function schemaToV2(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(schemaToV2);
  if (!isObject(schema)) return schema;
  if (typeof schema["$ref"] === "string") {
    return { ...schema, $ref: schema["$ref"].replace("#/components/schemas/", "#/definitions/") };
  }
  const {
    allOf,
    oneOf,
    default: _default,
    properties,
    items,
    additionalProperties,
    ...rest
  } = schema;
  const [reference] = Array.isArray(allOf) && allOf.length === 1 ? allOf : [];
  return {
    ...rest,
    ...(oneOf === undefined ? {} : { type: "string" }),
    ...(isObject(reference) ? (schemaToV2(reference) as Json) : {}),
    ...(isObject(properties) ? { properties: mapValues(properties) } : {}),
    ...(items === undefined ? {} : { items: schemaToV2(items) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: schemaToV2(additionalProperties) }),
  };
}

function mapValues(object: Json): Json {
  return Object.fromEntries(Object.entries(object).map(([name, one]) => [name, schemaToV2(one)]));
}

/** The operations of a path in v2. */
export function pathItemToV2(operations: readonly Operation[]): Json {
  const [first, ...rest] = operations;
  const shared = (first?.parameters ?? []).filter(({ name }) =>
    rest.every(({ parameters }) => parameters.some((other) => other.name === name)),
  );
  const entries = operations.map((operation) => [
    operation.method,
    operationToV2(operation, shared),
  ]);
  return {
    ...Object.fromEntries(entries),
    ...(shared.length > 0 ? { parameters: sorted(shared).map(parameterToV2) } : {}),
  };
}

const sorted = (parameters: readonly Parameter[]): readonly Parameter[] =>
  parameters.toSorted((a, b) => Number(a.name > b.name) - Number(a.name < b.name));

const responseNames: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
};

function operationToV2(operation: Operation, shared: readonly Parameter[]): Json {
  const { tag, id, description, body, produces, codes, answer, action, kind } = operation;
  const own = sorted(operation.parameters).filter(
    ({ name }) => !shared.some((other) => other.name === name),
  );
  const bodies = body
    ? [
        {
          name: "body",
          in: "body",
          ...(body.required ? { required: true } : {}),
          schema: schemaToV2(body.schema),
        },
      ]
    : [];
  const parameters = [...bodies, ...own.map(parameterToV2)];
  const schema = schemaToV2(answer);
  const responses = codes.map((code) => [
    String(code),
    { description: responseNames[code] ?? "", schema },
  ]);
  return {
    consumes: body?.consumes ?? ["*/*"],
    produces,
    schemes: ["https"],
    tags: [tag],
    ...(description ? { description } : {}),
    operationId: id,
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: { ...Object.fromEntries(responses), "401": { description: "Unauthorized" } },
    ...(action ? { "x-kubernetes-action": action } : {}),
    ...(kind ? { "x-kubernetes-group-version-kind": kind } : {}),
  };
}

function parameterToV2({ name, type, isPath, description }: Parameter): Json {
  const text = description ?? parameterTexts[name];
  return {
    uniqueItems: true,
    type,
    ...(text ? { description: text } : {}),
    name,
    in: isPath ? "path" : "query",
    ...(isPath ? { required: true } : {}),
  };
}
