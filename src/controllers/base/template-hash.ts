/**
 * Upstream: pkg/controller/controller_utils.go (ComputeHash),
 * staging/src/k8s.io/apimachinery/pkg/util/rand (SafeEncodeString).
 */

/** Letters and digits that form no bad words. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/**
 * A short hash of a template; equal templates have equal hashes. Other programs hash their own form
 * of the template, so their hash may differ: it is only used to distinguish templates.
 */
export function templateHash(template: unknown, collisions: number | undefined): string {
  let hash = fnvOffset;
  const text = canonical(template) + (collisions ?? "");
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, fnvPrime) >>> 0;
  return safeEncode(String(hash));
}

/** JSON with sorted keys, so that the order of fields is irrelevant. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Maps each character to one that is safe in a name. */
function safeEncode(text: string): string {
  return Array.from(Buffer.from(text), (byte) => alphabet[byte % alphabet.length]).join("");
}
