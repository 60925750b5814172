import { parseJson } from "#/machinery/codec/json/json-document.ts";
import {
  type ObjectBody,
  openJsonBody,
  openYamlBody,
  readYamlOrJson,
} from "#/machinery/codec/object-body.ts";

/**
 * Limit of an answer in YAML (bytes): parsing it holds up all other requests, three seconds for a megabyte. A larger
 * answer must be JSON.
 */
const maxYamlBytes = 32 * 1024;

/** The value in another server's answer, JSON or a short YAML. Throws DecodeError. */
export function readAnswer(bytes: Uint8Array): unknown {
  return bytes.length > maxYamlBytes ? parseJson(bytes).value : readYamlOrJson(bytes).value;
}

/** Opens an object in an answer, whatever its Content-Type: it is JSON if it begins like that. Throws DecodeError. */
export function openAnswer(bytes: Uint8Array): ObjectBody {
  const isJson = bytes.find((byte) => byte > 0x20) === 0x7b;
  return isJson || bytes.length > maxYamlBytes ? openJsonBody(bytes) : openYamlBody(bytes);
}
