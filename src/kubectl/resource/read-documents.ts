/** Upstream: staging/src/k8s.io/apimachinery/pkg/util/yaml/decoder.go. */

import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import { splitYamlDocuments } from "#/machinery/codec/yaml/yaml-split.ts";
import { asDoubles } from "#/machinery/patch/values/as-doubles.ts";
import { CommandError } from "../base/errors.ts";

/** The objects in a file of JSON or YAML documents, in order; empty documents are left out. */
export function* readDocuments(bytes: Buffer, source: string): Generator<unknown> {
  const text = withoutMark(bytes);
  const documents = text.trimStart().startsWith("{") ? jsonDocuments(text) : yamlDocuments(text);
  try {
    for (const document of documents)
      if (document !== null && document !== undefined) yield document;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new CommandError(`error parsing ${source}: ${error.message}`, { cause: error });
  }
}

/** Windows editors begin files with a byte order mark. */
function withoutMark(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString("utf16le");
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return Buffer.from(bytes.subarray(2)).swap16().toString("utf16le");
  return bytes.toString("utf8").replace(/^\ufeff/, "");
}

function* yamlDocuments(text: string): Generator<unknown> {
  for (const document of splitYamlDocuments(text)) yield yamlDocument(document);
}

function yamlDocument(text: string): unknown {
  try {
    return asDoubles(readYaml(Buffer.from(text)).value);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(`error converting YAML to JSON: ${error.message}`, "syntax");
  }
}

/** JSON values one after another; text that is not JSON may still be YAML. */
function* jsonDocuments(text: string): Generator<unknown> {
  let count = 0;
  let rest = text.trimStart();
  while (rest !== "") {
    const end = endOfJson(rest);
    const value = end === undefined ? undefined : tryParse(rest.slice(0, end));
    if (value === undefined || end === undefined) {
      if (count > 1) throw new DecodeError("invalid character after top-level value", "syntax");
      yield* yamlDocuments(rest);
      return;
    }
    count++;
    yield value;
    rest = rest.slice(end).trimStart();
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The end of the JSON object at the beginning of a text. */
function endOfJson(text: string): number | undefined {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (inString) {
      if (character === "\\") i++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return i + 1;
  }
  return undefined;
}
