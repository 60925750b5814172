import { bodyMediaType } from "#/machinery/codec/media-type.ts";
import { badRequest, unsupportedMediaType } from "#/machinery/meta/status-error.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { header } from "../model/exchange.ts";
import { ensureNamespace } from "../registry/object-lifecycle.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { Result } from "../registry/result.ts";
import type { Decoded } from "../registry/strategy.ts";
import { VersionCodec } from "../registry/version-codec.ts";
import { readBody } from "./body/read-body.ts";
import type { WriteOptions } from "./options.ts";
import { addWarning, attributesOf } from "./write-request.ts";

/** The kind of object that a subresource accepts, and other versions of the same shape. */
interface ActionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Further apiVersions that are accepted. */
  readonly alsoAccepted?: readonly string[];
}

/** Reads the body of a request to a subresource with a kind of its own (Binding, Eviction). */
export async function readActionBody<T>(
  request: ResourceRequest,
  kind: ActionKind,
  options: WriteOptions,
): Promise<Decoded<T>> {
  const { exchange } = request;
  const object = (await decode(request, kind, options)) as Decoded<T>;
  const expected = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  const actual = object.apiVersion ?? expected;
  if (actual !== expected && !kind.alsoAccepted?.includes(actual)) {
    throw badRequest(
      `the API version in the data (${actual}) does not match the expected API version (${expected})`,
    );
  }
  ensureNamespace(object.metadata, exchange.info.namespace);
  return object;
}

async function decode(request: ResourceRequest, kind: ActionKind, options: WriteOptions) {
  const { exchange, target } = request;
  const schema = findSchema(kind.group, kind.version, kind.kind);
  if (!schema) throw new Error(`no schema for ${kind.kind}`);
  const codec = new VersionCodec({ ...target.version.handle, ...kind }, schema);
  const mediaType = bodyMediaType(header(exchange, "content-type"), codec.mediaTypes);
  if (mediaType === undefined) throw unsupportedMediaType(codec.mediaTypes);
  const body = await readBody(exchange);
  const { object, problems } = codec.decode(body, mediaType, options.fieldValidation);
  for (const problem of problems) addWarning(exchange, problem);
  return object;
}

/** Runs mutating admission on the object of an action; returns the validating check. */
export async function admitAction<T>(
  request: ResourceRequest,
  kind: ActionKind,
  object: Decoded<T>,
  options: WriteOptions,
): Promise<() => MaybePromise<void>> {
  const { services, exchange } = request;
  const { dryRun } = options;
  const name = exchange.info.name || (object.metadata.name ?? "");
  const attributes = {
    ...attributesOf(request, "CREATE", { object, name, options, dryRun }),
    kind,
  };
  await services.admission.mutate(attributes);
  return () => services.admission.validate(attributes);
}

const done = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/** The response of an action that creates nothing. */
export const actionDone: Result = { type: "value", status: 201, value: done };
