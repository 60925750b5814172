import type { Resource } from "#/api/base/resource.ts";
import type { StructSchema } from "#/api/base/schema.ts";
import { encodeJson } from "#/machinery/codec/json/encode-json.ts";
import type { TypeMeta } from "#/machinery/codec/json/json-document.ts";
import { writeJson } from "#/machinery/codec/json/write-json.ts";
import { customMediaTypes, type MediaType, mediaTypes } from "#/machinery/codec/media-type.ts";
import {
  type ObjectBody,
  openJsonBody,
  openProtobufBody,
  openYamlBody,
  yamlErrors,
} from "#/machinery/codec/object-body.ts";
import { encodeProtobuf } from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { hasMessage } from "#/machinery/codec/protobuf/protobuf-message.ts";
import {
  DecodeError,
  decodeFailureMessage,
  strictDecodingError,
} from "#/machinery/codec/shape/decode-error.ts";
import { encodeYaml } from "#/machinery/codec/yaml/encode-yaml.ts";
import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { invalid as invalidField } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { badRequest, invalid } from "#/machinery/meta/status-error.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { Settled } from "#/std/base/maybe-promise.ts";
import { runSteps, type Steps } from "#/std/base/steps.ts";
import { countedBytes, fieldLimit } from "../model/field-limit.ts";
import { internalName, isRegistered, unregistered } from "./scheme.ts";
import type { ApiObject } from "./strategy.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** An object of a request, and its unknown and duplicate fields. */
interface DecodedBody {
  readonly object: ApiObject;
  readonly problems: readonly string[];
}

/** Limit of an unrecognized body that an error shows (characters). */
const shownBytes = 30;

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

  /** The media types that bodies and answers can be in. */
  get mediaTypes(): readonly MediaType[] {
    return this.hasProtobuf ? mediaTypes : customMediaTypes;
  }

  /** Decodes a request's body; throws 400. Problems are unknown and duplicate fields that only cause warnings. */
  decode(body: Uint8Array, mediaType: MediaType, validation: FieldValidation): DecodedBody {
    return runSteps(this.decodeSteps(body, mediaType, validation));
  }

  /** The same in steps, for large bodies. */
  *decodeSteps(
    body: Uint8Array,
    mediaType: MediaType,
    validation: FieldValidation,
  ): Steps<DecodedBody> {
    let actual: { kind: string; version: string } | undefined;
    try {
      const opened = openBody[mediaType](body);
      yield;
      if (opened.kind === "" && this.#schema.unstructured) throw this.#kindMissing(body);
      const { kind, apiVersion } = this.#typeOf(opened);
      actual = { kind, version: apiVersion.slice(apiVersion.indexOf("/") + 1) };
      this.checkType({ kind, apiVersion });
      const strict = validation !== "Ignore";
      const { value, problems } = opened.decode<ApiObject>(this.#schema, strict);
      if (validation === "Strict" && problems.length > 0) throw strictDecodingError(problems);
      return { object: this.#complete(value), problems: problems.flatMap(warningsOf) };
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      const failed = { expected: this.#handle.kind, body, ...(actual ? { actual } : {}) };
      throw badRequest(decodeFailureMessage(error, failed));
    }
  }

  /** JSON for clients, with the newline at its end. */
  encodeJson(object: ApiObject): Uint8Array {
    return encodeJson(object, this.#schema);
  }

  /** Whether this kind has a protobuf form. */
  get hasProtobuf(): boolean {
    return hasMessage(this.#schema);
  }

  /** Encodes an object of this kind, or of any built-in kind: a Status, a Scale. */
  encode(value: Settled, format: OutputFormat): Uint8Array {
    const { kind, apiVersion } = value as { kind?: string; apiVersion?: string };
    const own = kind === this.#handle.kind && apiVersion === this.#apiVersion;
    return own ? encodeAs(value, this.#schema, format) : encodeKind(value, format);
  }

  /** Encodes a list of this kind. */
  encodeList(list: Settled, { mediaType, pretty }: OutputFormat): Uint8Array {
    return mediaType === "application/yaml"
      ? Buffer.from(writeYaml(list))
      : Buffer.from(writeJson(list, pretty ? { pretty } : {}));
  }

  /** Custom resources must have apiVersion and kind. */
  #kindMissing(body: Uint8Array): Error {
    const text = Buffer.from(body).toString();
    const start = text.length > shownBytes ? `${text.slice(0, shownBytes)} ...` : text;
    return badRequest(
      `the object provided is unrecognized (must be of type ${this.#handle.kind}): Object 'Kind' is missing in '${text}' (${start})`,
    );
  }

  /** Defaults of apiVersion and kind are those of the path. */
  #complete(object: ApiObject): ApiObject {
    object.kind ||= this.#handle.kind;
    object.apiVersion ||= this.#apiVersion;
    object.metadata ??= {};
    if (object.kind !== this.#handle.kind && this.#schema.unstructured) {
      const { kind, metadata } = object;
      const wrong = invalidField(fieldPath("kind"), kind, `must be ${this.#handle.kind}`);
      throw invalid({ group: this.#handle.group, kind }, metadata.name ?? "", [wrong]);
    }
    return object;
  }

  /** apiVersion and kind of a body; defaults are those of the path. */
  #typeOf({ kind, apiVersion }: ObjectBody): { kind: string; apiVersion: string } {
    if (this.#schema.unstructured) return { kind, apiVersion };
    return { kind: kind || this.#handle.kind, apiVersion: apiVersion || this.#apiVersion };
  }

  /**
   * A built-in kind must be known, and be this one; its version is checked later. Throws DecodeError;
   * apiVersion and kind of custom resources are checked elsewhere.
   */
  checkType({ kind, apiVersion }: TypeMeta): void {
    if (this.#schema.unstructured) return;
    if (kind === this.#handle.kind && apiVersion === this.#apiVersion) return;
    if (!isRegistered(kind, apiVersion, this.#handle.group)) {
      throw unregistered({ kind, apiVersion });
    }
    if (kind === this.#handle.kind) return;
    const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
    throw new DecodeError(
      `converting (${version}.${kind}) to (${internalName(this.#handle)}): unknown conversion`,
    );
  }
}

/** Errors in YAML are reported together as one error, but as a warning for each line. */
function warningsOf(problem: string): string[] {
  const [first = "", ...lines] = problem.split("\n");
  return first === yamlErrors ? lines.map((line) => line.trim()) : [problem];
}

/** Decoders by media type. */
export const openBody: Readonly<Record<MediaType, (body: Uint8Array) => ObjectBody>> = {
  "application/json": openJsonBody,
  "application/yaml": openYamlBody,
  "application/vnd.kubernetes.protobuf": (body) =>
    openProtobufBody(body, body.length > countedBytes ? fieldLimit : undefined),
};

/** Options of an encoded response. */
export interface OutputFormat {
  readonly mediaType: MediaType;
  /** Indented, for people; JSON only. */
  readonly pretty: boolean;
}

export const plainJson: OutputFormat = { mediaType: "application/json", pretty: false };

/** Encodes a value that has its own built-in kind. */
export function encodeKind(
  value: Settled & Partial<TypeMeta>,
  format: OutputFormat = plainJson,
): Uint8Array {
  const { kind = "", apiVersion = "" } = value;
  const slash = apiVersion.indexOf("/");
  const schema = findSchema(
    apiVersion.slice(0, Math.max(slash, 0)),
    apiVersion.slice(slash + 1),
    kind,
  );
  if (!schema) throw new Error(`no schema for ${kind} in ${apiVersion}`);
  return encodeAs(value, schema, format);
}

/** Writes a value of a kind in a media type. */
function encodeAs(
  value: Settled,
  schema: StructSchema,
  { mediaType, pretty }: OutputFormat,
): Uint8Array {
  switch (mediaType) {
    case "application/json":
      return encodeJson(value, schema, pretty ? { pretty } : {});
    case "application/yaml":
      return encodeYaml(value, schema);
    case "application/vnd.kubernetes.protobuf":
      return encodeProtobuf(value, schema);
  }
}
