/**
 * The decoded path of a request: the only form that is authorized, routed and forwarded, so that no step understands
 * it in another way. An encoded slash is a slash. A path with an invalid encoding is taken literally.
 *
 * Upstream: Go's net/url (URL.Path).
 */
export function decodePath(rawPath: string): string {
  if (!rawPath.includes("%")) return rawPath;
  try {
    return decodeURIComponent(rawPath);
  } catch {
    return rawPath;
  }
}

/** Whether a percent sign of a path is not followed by two hexadecimal digits. */
export const hasInvalidEscape = (rawPath: string): boolean =>
  rawPath.includes("%") && /%(?![0-9A-Fa-f]{2})/.test(rawPath);
