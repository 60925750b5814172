/** Headers of every file: it is what it says, in a page of its own, and no other page gets at it. */
export const fileHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

/**
 * Headers of the page. Nothing but its own server's files and API is loaded, and no frame may contain it. Where users log in
 * at an OpenID provider, the page asks that one for tokens.
 */
export function pageHeaders(
  importMapHash: string,
  issuer?: string,
): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'self'",
    ...(issuer === undefined ? [] : [`connect-src 'self' ${new URL(issuer).origin}`]),
    `script-src 'self' 'sha256-${importMapHash}'`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    ...fileHeaders,
    "content-security-policy": policy.join("; "),
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  };
}
