import { unexplained } from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** Upstream: apiserver/pkg/storage/{api_object_versioner,interfaces}.go, apiserver/pkg/storage/etcd3/store.go. */
const largestVersion = 2n ** 64n - 1n;
const largestDigits = String(largestVersion).length;

/** The version an object says it has; throws 500 for what can't be one, as upstream does. */
export function parseVersion(text: string): bigint {
  const digits = text.replace(/^0+/, "");
  const problem = !/^\d+$/.test(text)
    ? "invalid syntax"
    : isTooLarge(digits)
      ? "value out of range"
      : undefined;
  if (!problem) return BigInt(digits);
  throw unexplained(`strconv.ParseUint: parsing ${goQuote(text)}: ${problem}`);
}

/** Asks for the length first: to make a number of millions of digits takes long. */
function isTooLarge(digits: string): boolean {
  return digits.length > largestDigits || BigInt(digits) > largestVersion;
}

/** Refuses the version of an object that is to be created; what isn't a version is ignored. */
export function refuseVersion(text: string): void {
  if (/^0*$|\D/.test(text)) return;
  throw unexplained("resourceVersion should not be set on objects to be created");
}

/** What a write is told that was meant for another object, or another version of it. */
export function failedPrecondition(
  key: string,
  what: "UID" | "ResourceVersion",
  { wanted, actual = "" }: { readonly wanted: string; readonly actual: string | undefined },
): string {
  return invalidObject(
    key,
    `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${actual}`,
  );
}

/** How the store says that an object is not as a request expects. */
export const invalidObject = (key: string, message: string): string =>
  `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${message}`;
