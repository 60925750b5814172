import { goQuote } from "#/std/go/go-quote.ts";
import { IpError, parseAddress } from "./ip-address.ts";
import {
  escapeUrlPart,
  fromBytes,
  isValidPath,
  toBytes,
  UrlError,
  unescapeUrlPart,
} from "./url-escape.ts";

/** A URL as parsed by Go's net/url. Its strings are bytes: one character for each byte of UTF-8. */
export interface GoUrl {
  readonly scheme: string;
  /** The part after the scheme if it does not start with a slash. */
  readonly opaque: string;
  /** Undefined if there is none. */
  readonly userinfo: string | undefined;
  readonly host: string;
  /** Escaped. */
  readonly path: string;
  readonly query: string;
  readonly hasEmptyQuery: boolean;
  readonly omitsHost: boolean;
  /** Escaped. */
  readonly fragment: string;
}

/**
 * Parses the URL of a request: an absolute URL or an absolute path. Throws UrlError.
 *
 * Upstream: Go's url.ParseRequestURI.
 */
export function parseRequestUrl(text: string): GoUrl {
  return wrapErrors(text, () => parse(toBytes(text), true));
}

/** Parses any URL, with its fragment. Throws UrlError. */
export function parseUrl(text: string): GoUrl {
  const hash = text.indexOf("#");
  const main = hash < 0 ? text : text.slice(0, hash);
  const url = wrapErrors(main, () => parse(toBytes(main), false));
  const fragment = hash < 0 ? "" : toBytes(text.slice(hash + 1));
  wrapErrors(text, () => unescapeUrlPart(fragment, "fragment"));
  return { ...url, fragment };
}

function wrapErrors<T>(text: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new UrlError(`parse ${goQuote(text)}: ${error.message}`, { cause: error });
  }
}

const nothing: GoUrl = {
  scheme: "",
  opaque: "",
  userinfo: undefined,
  host: "",
  path: "",
  query: "",
  hasEmptyQuery: false,
  omitsHost: false,
  fragment: "",
};

function parse(bytes: string, viaRequest: boolean): GoUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  if (/[\x00-\x1f\x7f]/.test(bytes)) {
    throw new UrlError("net/url: invalid control character in URL");
  }
  if (bytes === "" && viaRequest) throw new UrlError("empty url");
  if (bytes === "*") return { ...nothing, path: "*" };
  if (bytes.startsWith(":")) throw new UrlError("missing protocol scheme");
  const scheme = /^[a-zA-Z][a-zA-Z\d+\-.]*(?=:)/.exec(bytes)?.[0] ?? "";
  const afterScheme = scheme === "" ? bytes : bytes.slice(scheme.length + 1);
  const mark = afterScheme.indexOf("?");
  const hasEmptyQuery = mark >= 0 && mark === afterScheme.length - 1;
  const query = mark < 0 ? "" : afterScheme.slice(mark + 1);
  const rest = mark < 0 ? afterScheme : afterScheme.slice(0, mark);
  const url = { ...nothing, scheme: scheme.toLowerCase(), query, hasEmptyQuery };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...url, opaque: rest };
    if (viaRequest) throw new UrlError("invalid URI for request");
    if (/^[^/]*:/.test(rest)) {
      throw new UrlError("first path segment in URL cannot contain colon");
    }
  }
  const mayHaveHost = scheme !== "" || (!viaRequest && !rest.startsWith("///"));
  if (!mayHaveHost || !rest.startsWith("//")) {
    return { ...url, path: parsePath(rest), omitsHost: scheme !== "" && rest.startsWith("/") };
  }
  const slash = rest.indexOf("/", 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  const path = slash < 0 ? "" : rest.slice(slash);
  return { ...url, ...parseAuthority(url.scheme, authority), path: parsePath(path) };
}

/** The escaped path: unchanged if its escaping is valid. */
function parsePath(bytes: string): string {
  const path = unescapeUrlPart(bytes, "path");
  return isValidPath(bytes) ? bytes : escapeUrlPart(path, "path");
}

function parseAuthority(scheme: string, authority: string) {
  const at = authority.lastIndexOf("@");
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { userinfo: undefined, host };
  const userinfo = authority.slice(0, at);
  if (!/^[\w\-.:~!$&'()*+,;=%@]*$/.test(userinfo)) throw new UrlError("net/url: invalid userinfo");
  const colon = userinfo.indexOf(":");
  const parts = colon < 0 ? [userinfo] : [userinfo.slice(0, colon), userinfo.slice(colon + 1)];
  const escaped = parts.map((part) => escapeUrlPart(unescapeUrlPart(part, "userinfo"), "userinfo"));
  return { userinfo: escaped.join(":"), host };
}

function parseHost(scheme: string, host: string): string {
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) throw new UrlError("invalid IP-literal");
  if (bracket === 0) return parseBracketed(host);
  const first = host.indexOf(":");
  if (first >= 0) {
    const isStrict = scheme === "http" || scheme === "https";
    checkPort(host.slice(isStrict ? first : host.lastIndexOf(":")));
  }
  return unescapeUrlPart(host, "host");
}

function parseBracketed(host: string): string {
  const close = host.lastIndexOf("]");
  if (close < 0) throw new UrlError("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const name = host.slice(1, close);
  const zone = name.indexOf("%25");
  const address =
    zone < 0
      ? unescapeUrlPart(name, "host")
      : unescapeUrlPart(name.slice(0, zone), "host") + unescapeUrlPart(name.slice(zone), "zone");
  try {
    if (parseAddress(fromBytes(address)).ip.family === 4) throw new UrlError("invalid IP-literal");
  } catch (error) {
    if (error instanceof IpError)
      throw new UrlError(`invalid host: ${error.message}`, { cause: error });
    throw error;
  }
  return `[${address}]${unescapeUrlPart(port, "host")}`;
}

function checkPort(port: string): void {
  if (!/^(?::\d*)?$/.test(port)) {
    throw new UrlError(`invalid port ${goQuote(fromBytes(port))} after host`);
  }
}

/** Name and port of a URL's host. */
export function splitHost({ host }: GoUrl): { name: string; port: string } {
  const port = /:(\d*)$/.exec(host);
  const rest = port === null ? host : host.slice(0, port.index);
  const name = /^\[.*\]$/.test(rest) ? rest.slice(1, -1) : rest;
  return { name: fromBytes(name), port: port?.[1] ?? "" };
}

/** Limit of parsed query parameters (count). */
const maxParameters = 10_000;

/** The parameters of a URL's query; malformed ones are omitted. */
export function parseQuery({ query }: GoUrl): ReadonlyMap<string, string[]> {
  const parameters = new Map<string, string[]>();
  const parts = query.split("&");
  if (parts.length > maxParameters) return parameters;
  for (const part of parts) {
    if (part === "" || part.includes(";")) continue;
    const equals = part.indexOf("=");
    const [name, value] = [
      equals < 0 ? part : part.slice(0, equals),
      equals < 0 ? "" : part.slice(equals + 1),
    ].map(unescapeParameter);
    if (name === undefined || value === undefined) continue;
    const values = parameters.get(name) ?? [];
    values.push(value);
    parameters.set(name, values);
  }
  return parameters;
}

function unescapeParameter(bytes: string): string | undefined {
  try {
    return fromBytes(unescapeUrlPart(bytes, "query"));
  } catch (error) {
    if (error instanceof UrlError) return undefined;
    throw error;
  }
}

/** The text of a URL. */
export function formatUrl(url: GoUrl): string {
  const scheme = url.scheme === "" ? "" : `${url.scheme}:`;
  const query = url.hasEmptyQuery || url.query !== "" ? `?${url.query}` : "";
  const fragment = url.fragment === "" ? "" : `#${url.fragment}`;
  const rest = url.opaque === "" ? hostAndPath(url, scheme) : url.opaque;
  return fromBytes(`${scheme}${rest}${query}${fragment}`);
}

function hostAndPath(url: GoUrl, scheme: string): string {
  const { userinfo, host, path, omitsHost } = url;
  const hasAuthority = scheme !== "" || host !== "" || userinfo !== undefined;
  if (!hasAuthority || (omitsHost && host === "" && userinfo === undefined)) return path;
  const slashes = host !== "" || path !== "" || userinfo !== undefined ? "//" : "";
  const user = userinfo === undefined ? "" : `${userinfo}@`;
  return `${slashes}${user}${escapeUrlPart(host, "host")}${path}`;
}
