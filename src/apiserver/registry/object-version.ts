import { statusWithoutReason } from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** Upstream: staging/src/k8s.io/apiserver/pkg/storage/{api_object_versioner,interfaces,etcd3/store}.go. */
const largestVersion = 2n ** 64n - 1n;
const largestDigits = String(largestVersion).length;

/** The resourceVersion of an object; throws 500 for an invalid one, as upstream does. */
export function parseVersion(text: string): bigint {
  const digits = text.replace(/^0+/, "");
  const problem = !/^\d+$/.test(text)
    ? "invalid syntax"
    : isTooLarge(digits)
      ? "value out of range"
      : undefined;
  if (!problem) return BigInt(digits);
  throw statusWithoutReason(`strconv.ParseUint: parsing ${goQuote(text)}: ${problem}`);
}

/** Checks the length first: parsing a number of millions of digits is slow. */
function isTooLarge(digits: string): boolean {
  return digits.length > largestDigits || BigInt(digits) > largestVersion;
}

/** Refuses the resourceVersion of an object to be created; an invalid one is ignored. */
export function refuseVersion(text: string): void {
  if (/^0*$|\D/.test(text)) return;
  throw statusWithoutReason("resourceVersion should not be set on objects to be created");
}

/** The error for a write with a precondition on another object (uid) or another resourceVersion. */
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

/** The storage error for an object that is not as a request expects. */
export const invalidObject = (key: string, message: string): string =>
  `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${message}`;
