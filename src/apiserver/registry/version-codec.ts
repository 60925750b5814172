import type { Resource } from "#/api/resource.ts";
import type { StructSchema } from "#/api/schema.ts";
import {
  DecodeError,
  decodeFailureMessage,
  strictDecodingError,
} from "#/machinery/codec/decode-error.ts";
import { decodeJson } from "#/machinery/codec/decode-json.ts";
import { encodeJson } from "#/machinery/codec/encode-json.ts";
import { type JsonDocument, parseJson } from "#/machinery/codec/json-document.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { badRequest } from "#/machinery/status-error.ts";
import type { ApiObject } from "./strategy.ts";

/** How bodies and answers are written. */
export type MediaType =
  | "application/json"
  | "application/yaml"
  | "application/vnd.kubernetes.protobuf";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** Reads and writes the objects of one kind in one version, in every media type it has. */
export class VersionCodec {
  readonly #handle: Resource;
  readonly #schema: StructSchema;
  readonly #apiVersion: string;

  constructor(handle: Resource, schema: StructSchema) {
    this.#handle = handle;
    this.#schema = schema;
    this.#apiVersion = handle.group === "" ? handle.version : `${handle.group}/${handle.version}`;
  }

  /** The media type of a request's body; undefined when it is none of ours. */
  inputType(contentType: string | undefined): MediaType | undefined {
    const type = (contentType ?? "application/json").split(";")[0]?.trim() ?? "";
    return this.inputTypes.find((known) => known === type);
  }

  readonly inputTypes: readonly MediaType[] = [
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
  ];

  /** Decodes a request's body; throws 400. Problems are unknown and duplicate fields that were only to be warned of. */
  decode(
    body: Uint8Array,
    mediaType: MediaType,
    validation: FieldValidation,
  ): { object: ApiObject; problems: readonly string[] } {
    let said: { kind: string; version: string } | undefined;
    try {
      const document = parseDocument(body, mediaType);
      said = typeOf(document.value);
      const { value, problems } = decodeJson<ApiObject>(
        document,
        this.#schema,
        validation !== "Ignore",
      );
      if (validation === "Strict" && problems.length > 0) throw strictDecodingError(problems);
      return { object: this.#complete(value), problems };
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      const failed = { expected: this.#handle.kind, body, ...(said ? { actual: said } : {}) };
      throw badRequest(decodeFailureMessage(error, failed));
    }
  }

  /** JSON as clients get it, with the newline at its end. */
  encodeJson(object: object, pretty = false): Uint8Array {
    return encodeJson(object, this.#schema, pretty ? { pretty } : {});
  }

  /** Something of any kind: a Status, a Scale, or one of our own objects. */
  encodeValue(value: object, pretty: boolean): Uint8Array {
    const { kind, apiVersion = "" } = value as { kind?: string; apiVersion?: string };
    if (kind === this.#handle.kind && apiVersion === this.#apiVersion)
      return this.encodeJson(value, pretty);
    return encodeKind(value, pretty);
  }

  /** What a body leaves out, the path says. */
  #complete(object: ApiObject): ApiObject {
    object.kind ||= this.#handle.kind;
    object.apiVersion ||= this.#apiVersion;
    object.metadata ??= {};
    if (object.kind !== this.#handle.kind) {
      const { kind, apiVersion } = object;
      throw new DecodeError(
        `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
      );
    }
    return object;
  }
}

/** JSON of a value that says itself of which built-in kind it is. */
export function encodeKind(value: object, pretty = false): Uint8Array {
  const { kind = "", apiVersion = "" } = value as { kind?: string; apiVersion?: string };
  const slash = apiVersion.indexOf("/");
  const schema = findSchema(
    apiVersion.slice(0, Math.max(slash, 0)),
    apiVersion.slice(slash + 1),
    kind,
  );
  if (!schema) throw new Error(`no schema for ${kind} in ${apiVersion}`);
  return encodeJson(value, schema, pretty ? { pretty } : {});
}

function parseDocument(body: Uint8Array, _mediaType: MediaType): JsonDocument {
  return parseJson(body);
}

function typeOf(value: unknown): { kind: string; version: string } | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, apiVersion } = value as { kind?: unknown; apiVersion?: unknown };
  if (typeof kind !== "string") return undefined;
  const text = typeof apiVersion === "string" ? apiVersion : "";
  return { kind, version: text.slice(text.indexOf("/") + 1) };
}
