import type { ObjectMeta } from "#/api/meta/v1.ts";
import { badRequest } from "#/machinery/meta/status-error.ts";
import { parseInt64 } from "#/machinery/values/int64.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** Annotations for fields that v1 no longer has. Upstream: pkg/apis/apps/v1/conversion.go. */

/** The number in such an annotation; undefined if there is none; throws 400 if it is not a number. */
export function annotatedNumber(
  { annotations }: ObjectMeta,
  key: string,
  { kind, prefix = "" }: { readonly kind: string; readonly prefix?: string },
): bigint | undefined {
  const text = annotations?.[key];
  if (text === undefined) return undefined;
  const value = parseInt64(text);
  if (value !== undefined) return value;
  const reason = /^[+-]?[0-9]+$/.test(text) ? "value out of range" : "invalid syntax";
  const cause = `${prefix}strconv.ParseInt: parsing ${goQuote(text)}: ${reason}`;
  throw badRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${cause}`);
}

/** Copies the value of such an annotation from another object. */
export function keepAnnotation(metadata: ObjectMeta, old: ObjectMeta, key: string): void {
  const value = old.annotations?.[key];
  if (value !== undefined) {
    metadata.annotations ??= {};
    metadata.annotations[key] = value;
  } else if (metadata.annotations !== undefined) {
    delete metadata.annotations[key];
  }
}
