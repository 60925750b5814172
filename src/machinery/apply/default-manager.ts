/** Limit of a manager's name (bytes). */
const maximumBytes = 128;

const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/**
 * The manager of a request that names none: the program name in its User-Agent, without unprintable
 * characters.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go (prefixFromUserAgent).
 */
export function defaultManager(userAgent: string): string {
  const [program = ""] = userAgent.split("/");
  let name = "";
  let bytes = 0;
  for (const letter of program.toWellFormed().replaceAll(unprintable, "")) {
    bytes += Buffer.byteLength(letter);
    if (bytes > maximumBytes) break;
    name += letter;
  }
  return name;
}
