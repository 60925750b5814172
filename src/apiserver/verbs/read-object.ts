import { bodyMediaType, type MediaType } from "#/machinery/codec/media-type.ts";
import { badRequest, StatusError, unsupportedMediaType } from "#/machinery/meta/status-error.ts";
import { header } from "../model/exchange.ts";
import { inPace } from "../model/pace.ts";
import { completeObject } from "../registry/complete-object.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import { commonValue } from "../registry/set-defaults.ts";
import { NewObject } from "../registry/sharing/new-object.ts";
import type { Occurrence } from "../registry/sharing/recurring-part.ts";
import type { ApiObject } from "../registry/strategy.ts";
import { readBody } from "./body/read-body.ts";
import type { WriteOptions } from "./options.ts";
import { addWarning } from "./write-request.ts";

/** Reads the body as one of the target's objects and converts it to the stored version, with its defaults. */
export async function readObject(
  request: ResourceRequest,
  options: WriteOptions,
): Promise<ApiObject> {
  const mediaType = mediaTypeOf(request);
  return decodeWhole(request, await readBody(request.exchange), mediaType, options);
}

/** As readObject(), for an object to be created: its common field may be shared. */
export async function readNewObject(
  request: ResourceRequest,
  options: WriteOptions,
): Promise<NewObject<ApiObject>> {
  const { exchange, target } = request;
  const mediaType = mediaTypeOf(request);
  const body = await readBody(exchange);
  const field = target.recurring?.name ?? "";
  const found = mediaType === "application/json" ? target.recurring?.find(body) : undefined;
  const rest = found?.known && decodeRest(target, found, field);
  if (rest) return new NewObject(await completeObject(target, rest), field, found.known);
  const warnings = exchange.warnings.size;
  const object = await decodeWhole(request, body, mediaType, options);
  const common = commonValue(field, object);
  const isClean = options.fieldValidation !== "Ignore" && exchange.warnings.size === warnings;
  if (isClean && common) found?.remember(common);
  return new NewObject(object);
}

function mediaTypeOf({ exchange, target }: ResourceRequest): MediaType {
  const { mediaTypes } = target.codec;
  const mediaType = bodyMediaType(header(exchange, "content-type"), mediaTypes);
  if (mediaType === undefined) throw unsupportedMediaType(mediaTypes);
  return mediaType;
}

async function decodeWhole(
  { exchange, target }: ResourceRequest,
  body: Uint8Array,
  mediaType: MediaType,
  options: WriteOptions,
): Promise<ApiObject> {
  const steps = target.codec.decodeSteps(body, mediaType, options.fieldValidation);
  const { object, problems } = await inPace(exchange.pace, "decode", steps);
  for (const problem of problems) addWarning(exchange, problem);
  checkVersion(target, object);
  target.version.coerce?.(object);
  return completeObject(target, object);
}

/**
 * The object without its common field; undefined if the rest has errors that should be reported for the whole.
 */
function decodeRest(
  target: VersionedResource,
  { rest }: Occurrence,
  field: string,
): ApiObject | undefined {
  if (target.version.coerce) return undefined;
  try {
    const { object } = target.codec.decode(rest(), "application/json", "Strict");
    if (object.apiVersion !== target.apiVersion) return undefined;
    return Object.assign(object, { [field]: undefined });
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

function checkVersion(target: VersionedResource, object: ApiObject): void {
  if (object.apiVersion === target.apiVersion) return;
  throw badRequest(
    `the API version in the data (${object.apiVersion}) does not match the expected API version (${target.apiVersion})`,
  );
}
