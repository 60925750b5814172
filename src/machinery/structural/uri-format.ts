import { parseIp } from "#/std/net/ip.ts";

/**
 * Whether a text is a URI with a scheme, or an absolute path.
 *
 * Upstream: Go's net/url.ParseRequestURI, behind the format "uri".
 */
export function isRequestUri(text: string): boolean {
  if (text === "" || /\p{Cc}/u.test(text.replaceAll(/[\u0080-\u009f]/g, ""))) return false;
  if (text === "*") return true;
  if (text.startsWith(":")) return false;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase() ?? "";
  const [rest = ""] = text.slice(scheme === "" ? 0 : scheme.length + 1).split("?", 1);
  if (!rest.startsWith("/")) return scheme !== "";
  if (scheme === "" || !rest.startsWith("//")) return isEscaped(rest);
  const slash = rest.indexOf("/", 2);
  const authority = rest.slice(2, slash < 0 ? undefined : slash);
  return isAuthority(authority, scheme) && isEscaped(slash < 0 ? "" : rest.slice(slash));
}

/** Whether every percent sign starts an escaped byte. */
function isEscaped(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}

function isAuthority(authority: string, scheme: string): boolean {
  const at = authority.lastIndexOf("@");
  if (at >= 0) {
    const user = authority.slice(0, at);
    if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || !isEscaped(user)) return false;
  }
  return isHost(authority.slice(at + 1), scheme);
}

function isHost(host: string, scheme: string): boolean {
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) return false;
  if (bracket === 0) return isBracketedHost(host);
  const colon = /^https?$/.test(scheme) ? host.indexOf(":") : host.lastIndexOf(":");
  return (colon < 0 || isPort(host.slice(colon))) && isHostText(host);
}

function isBracketedHost(host: string): boolean {
  const close = host.lastIndexOf("]");
  if (close < 0 || !isPort(host.slice(close + 1))) return false;
  const [name = "", ...zone] = host.slice(1, close).split("%25");
  if (zone.length > 0 && zone.join("") === "") return false;
  const zoneText = zone.join("%25");
  if (!isHostText(name) || !isEscaped(zoneText) || !isZone(zoneText)) return false;
  return parseIp(name)?.family === 6;
}

const isPort = (text: string): boolean => /^(:[0-9]*)?$/.test(text);

/** In a host only bytes beyond ASCII may be escaped. */
function isHostText(text: string): boolean {
  if (!isEscaped(text) || /%(?!25)[0-7]/.test(text)) return false;
  return !/[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.test(text);
}

function isZone(text: string): boolean {
  const plain = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return char === " " || char === "%" ? "" : char;
  });
  return !/[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%]/.test(plain);
}
