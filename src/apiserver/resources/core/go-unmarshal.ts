import { jsonTypeName, parseJson } from "#/machinery/codec/json/json-document.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";

/** Why a text is not a JSON object, as a message of Go's encoding/json; undefined if it is one. */
export function goUnmarshalProblem(text: string): string | undefined {
  try {
    const { value } = parseJson(Buffer.from(text));
    const isMap = value === null || (typeof value === "object" && !Array.isArray(value));
    if (isMap) return undefined;
    return `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}
