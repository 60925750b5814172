import { goQuote } from "#/std/go/go-quote.ts";
import { goJson, goNumber } from "../values/go-format.ts";
import type { FieldPath } from "./field-path.ts";

/**
 * The type of a validation error. The names are also the reasons of the causes in a Status.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/validation/field/errors.go.
 */
export type FieldErrorType = keyof typeof titles;

const titles = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooShort: "Too short",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  FieldValueTypeInvalid: "Invalid value",
  InternalError: "Internal error",
} as const;

/** Types whose message never shows the value. */
const typesWithoutValue: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
  "FieldValueTooShort",
  "InternalError",
]);

/** One problem found by validation. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** The rendered path; "<nil>" when there is none. */
  readonly field: string;
  /** The offending value; undefined keeps it out of the message. */
  readonly value: unknown;
  readonly detail: string;
}

/**
 * A string value that is printed as encoding/json writes it: upstream does so for Go types derived
 * from string, such as enumerations.
 */
export class JsonValue {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/** The path of an error; undefined if it has none. */
export type ErrorPath = FieldPath | undefined;

/** A required value is missing. */
export const required = (path: ErrorPath, detail = ""): FieldError =>
  make("FieldValueRequired", path, "", detail);

/** A malformed value. */
export const invalid = (path: ErrorPath, value: unknown, detail: string): FieldError =>
  make("FieldValueInvalid", path, value, detail);

/** A value of the wrong type. */
export const typeInvalid = (path: ErrorPath, value: unknown, detail: string): FieldError =>
  make("FieldValueTypeInvalid", path, value, detail);

/** A value outside an enumeration; the allowed ones are listed in the order given. */
export function notSupported(
  path: ErrorPath,
  value: unknown,
  allowed: Iterable<string> = [],
): FieldError {
  const list = Array.from(allowed, goQuote).join(", ");
  const detail = list === "" ? "" : `supported values: ${list}`;
  return make("FieldValueNotSupported", path, value, detail);
}

/** A second value where each may occur once. */
export const duplicate = (path: ErrorPath, value: unknown): FieldError =>
  make("FieldValueDuplicate", path, value, "");

/** A reference to something that does not exist. */
export const notFound = (path: ErrorPath, value: unknown): FieldError =>
  make("FieldValueNotFound", path, value, "");

/** A well-formed value that is not allowed here or now. */
export const forbidden = (path: ErrorPath, detail: string): FieldError =>
  make("FieldValueForbidden", path, "", detail);

/** A value over its limit in bytes; a negative limit is not printed. */
export function tooLong(path: ErrorPath, maxBytes: number): FieldError {
  const detail =
    maxBytes < 0 ? "value is too long" : `may not be more than ${count(maxBytes, "byte")}`;
  return make("FieldValueTooLong", path, "<value omitted>", detail);
}

/** A value over its limit in characters; a negative limit is not printed. */
export function tooLongCharacters(path: ErrorPath, max: number): FieldError {
  const detail = max < 0 ? "value is too long" : `may not be more than ${count(max, "character")}`;
  return make("FieldValueTooLong", path, "<value omitted>", detail);
}

/** A list of too many items; a negative actual length is not printed. */
export function tooMany(path: ErrorPath, actual: number, max: number): FieldError {
  const detail = max < 0 ? "has too many items" : `must have at most ${count(max, "item")}`;
  return make("FieldValueTooMany", path, actual < 0 ? undefined : actual, detail);
}

/** The server failed while it validated the field. */
export const internalError = (path: ErrorPath, cause: Error): FieldError =>
  make("InternalError", path, undefined, cause.message);

function make(type: FieldErrorType, path: ErrorPath, value: unknown, detail: string): FieldError {
  return { type, field: path === undefined ? "<nil>" : path.toString(), value, detail };
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** The message without the field's path, as in a Status' causes. */
export function formatFieldErrorBody(error: FieldError): string {
  const shown =
    typesWithoutValue.has(error.type) || error.value === undefined
      ? ""
      : `: ${formatValue(error.value)}`;
  const detail = error.detail === "" ? "" : `: ${error.detail}`;
  return `${titles[error.type]}${shown}${detail}`;
}

/** The whole message: `spec.replicas: Invalid value: -1: must be greater than or equal to 0`. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${formatFieldErrorBody(error)}`;
}

/** Limit of the text that is compared (characters): an answer contains no more. */
const maxComparedCharacters = 256 * 1024;

/** The errors without those whose message is repeated. */
export function distinctErrors(errors: readonly FieldError[]): FieldError[] {
  const known = new Set<string>();
  let characters = 0;
  return errors.filter((error) => {
    if (characters > maxComparedCharacters) return true;
    const message = formatFieldError(error);
    characters += message.length;
    return !known.has(message) && known.add(message);
  });
}

/** All messages joined: a single one as it is, several in brackets, without repetition. */
export function formatFieldErrors(errors: readonly FieldError[]): string {
  return joinMessages(new Set(errors.map(formatFieldError)));
}

/** A single message as it is, several in brackets. */
export function joinMessages(messages: ReadonlySet<string>): string {
  const joined = [...messages].join(", ");
  return messages.size > 1 ? `[${joined}]` : joined;
}

function formatValue(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return goNumber(value);
  return goJson(value instanceof JsonValue ? value.value : value);
}
