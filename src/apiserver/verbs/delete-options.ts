import { bodyMediaType, mediaTypes } from "#/machinery/codec/media-type.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { badRequest, unsupportedMediaType } from "#/machinery/meta/status-error.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { DeleteOptions } from "../registry/deletion.ts";
import { unregistered } from "../registry/scheme.ts";
import { openBody } from "../registry/version-codec.ts";

/** The body of a delete: DeleteOptions of metav1, or of the resource's own group as old clients send them. */
export function decodeDeleteOptions(
  body: Uint8Array,
  contentType: string | undefined,
): DeleteOptions {
  const schema = findSchema("", "v1", "DeleteOptions");
  if (!schema) throw new Error("no schema for DeleteOptions");
  const mediaType = bodyMediaType(contentType, mediaTypes);
  if (!mediaType) throw unsupportedMediaType(mediaTypes);
  try {
    const opened = openBody[mediaType](body);
    if (opened.kind !== "" && opened.kind !== "DeleteOptions") throw unregistered(opened);
    return opened.decode<DeleteOptions>(schema, false).value;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}
