/**
 * The grammar of image references, as far as defaults need it.
 *
 * Upstream: pkg/util/parsers/parsers.go, github.com/distribution/reference.
 */

const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const host = `(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const tag = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const rest = `(${component}(?:/${component})*)(?::(${tag}))?(?:@(${digest}))?`;

const withoutHost = new RegExp(`^${rest}$`);
const withHost = new RegExp(`^${host}/${rest}$`);
const knownDigest = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const identifier = /^[a-f0-9]{64}$/;

const maxPathLength = 255;

/**
 * The tag of an image: "latest" if there is neither tag nor digest, "" if there is only a digest or the text is not an
 * image reference.
 */
export function imageTag(image: string): string {
  if (identifier.test(image)) return "";
  const slash = image.indexOf("/");
  const hasHost = slash >= 0 && isHost(image.slice(0, slash));
  const match = (hasHost ? withHost : withoutHost).exec(image);
  if (match === null) return "";
  const [, path = "", name, sum] = match;
  const official = hasHost || path.includes("/") ? 0 : "library/".length;
  if (path.length + official > maxPathLength) return "";
  if (sum !== undefined && !knownDigest.test(sum)) return "";
  return name ?? (sum === undefined ? "latest" : "");
}

/** Whether the text before the first slash is a host and not part of the path. */
function isHost(text: string): boolean {
  return text === "localhost" || /[.:]/.test(text) || text.toLowerCase() !== text;
}
