import { DecodeError } from "#/machinery/codec/decode-error.ts";
import { decodeJson } from "#/machinery/codec/decode-json.ts";
import { parseJson } from "#/machinery/codec/json-document.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { badRequest } from "#/machinery/status-error.ts";
import type { DeleteOptions } from "../registry/deletion.ts";

/** The body of a delete: DeleteOptions of metav1, or of the resource's own group as old clients send them. */
export function decodeDeleteOptions(body: Uint8Array): DeleteOptions {
  const schema = findSchema("", "v1", "DeleteOptions");
  if (!schema) throw new Error("no schema for DeleteOptions");
  try {
    return decodeJson<DeleteOptions>(parseJson(body), schema, false).value;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}
