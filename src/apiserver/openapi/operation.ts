import type { Json } from "./open-api.ts";
import { parameterTexts } from "./operation-texts.ts";

/** A parameter of requests, in the path or the query. */
export interface Parameter {
  readonly name: string;
  readonly type: "string" | "boolean" | "integer";
  readonly isPath?: boolean;
  readonly description?: string;
}

/** One operation, independent of the version of OpenAPI. */
export interface Operation {
  readonly method: string;
  readonly tag: string;
  readonly id: string;
  readonly description?: string | undefined;
  readonly parameters: readonly Parameter[];
  /** The schema of a body, and its media types. */
  readonly body?: {
    readonly schema: Json;
    readonly consumes: readonly string[];
    readonly required: boolean;
  };
  readonly produces: readonly string[];
  /** Status codes of success, all with the same content. */
  readonly codes: readonly number[];
  readonly answer: Json;
  readonly action?: string;
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
}

const codeNames: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
};

/** The operations of a path in OpenAPI v3; common parameters are those of the path. */
export function pathItem(operations: readonly Operation[]): Json {
  const shared = sharedParameters(operations);
  const entries = operations.map((operation) => [
    operation.method,
    operationObject(operation, shared),
  ]);
  return {
    ...Object.fromEntries(entries),
    ...(shared.length > 0 ? { parameters: shared.map(parameterObject) } : {}),
  };
}

function sharedParameters(operations: readonly Operation[]): readonly Parameter[] {
  const [first, ...rest] = operations;
  return sorted(first?.parameters ?? []).filter(({ name }) =>
    rest.every(({ parameters }) => parameters.some((other) => other.name === name)),
  );
}

function sorted(parameters: readonly Parameter[]): readonly Parameter[] {
  return parameters.toSorted((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
}

function operationObject(operation: Operation, shared: readonly Parameter[]): Json {
  const { tag, id, description, body, produces, codes, answer, action, kind } = operation;
  const parameters = sorted(operation.parameters).filter(
    ({ name }) => !shared.some((other) => other.name === name),
  );
  const responses = codes.map((code) => [
    String(code),
    { description: codeNames[code] ?? "", content: content(produces, answer) },
  ]);
  return {
    tags: [tag],
    ...(description ? { description } : {}),
    operationId: id,
    ...(parameters.length > 0 ? { parameters: parameters.map(parameterObject) } : {}),
    ...(body
      ? {
          requestBody: {
            content: content(body.consumes, body.schema),
            ...(body.required ? { required: true } : {}),
          },
        }
      : {}),
    responses: { ...Object.fromEntries(responses), "401": { description: "Unauthorized" } },
    ...(action ? { "x-kubernetes-action": action } : {}),
    ...(kind ? { "x-kubernetes-group-version-kind": kind } : {}),
  };
}

function content(mediaTypes: readonly string[], schema: Json): Json {
  return Object.fromEntries(mediaTypes.toSorted().map((mediaType) => [mediaType, { schema }]));
}

function parameterObject({ name, type, isPath, description }: Parameter): Json {
  const text = description ?? parameterTexts[name];
  return {
    name,
    in: isPath ? "path" : "query",
    ...(text ? { description: text } : {}),
    ...(isPath ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  };
}
