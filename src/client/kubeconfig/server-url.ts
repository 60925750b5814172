/**
 * Upstream: staging/src/k8s.io/client-go/rest/url_utils.go (DefaultServerURL), and Go's net/url.
 */
import { goQuote } from "#/std/go/go-quote.ts";

/** A server address to which no request can be sent, with the message of Go's net/url. */
export class ServerUrlError extends Error {
  override readonly name: string = "ServerUrlError";
}

/** A port that is none, which Go finds when it connects. */
export class PortError extends ServerUrlError {
  override readonly name = "PortError";
}

/** The URL of a server. A text without a scheme is a host, reached without TLS, as in client-go. */
export function serverUrl(server: string): string {
  const whole = /^https?:\/\//i.test(server) ? server : undefined;
  if (whole !== undefined && hostProblem(whole) === undefined) return withPort(whole);
  const url = `http://${server}`;
  const problem = hostProblem(url);
  if (problem !== undefined) throw new ServerUrlError(problem);
  const path = /^https?:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? "";
  if (path !== "" && path !== "/") {
    throw new Error(`host must be a URL or a host:port pair: ${goQuote(server)}`);
  }
  return withPort(url);
}

/** The host and port of a URL, without user information. */
function authorityOf(url: string): string {
  const authority = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
  return authority.slice(authority.lastIndexOf("@") + 1);
}

/** The reason why Go rejects a URL; undefined if it is valid. */
function hostProblem(url: string): string | undefined {
  const authority = authorityOf(url);
  const invalid = /[^\w.~!$&'()*+,;=:[\]<>"%\u0080-\uffff-]/.exec(authority)?.[0];
  if (invalid !== undefined) return `invalid character ${goQuote(invalid)} in host name`;
  const end = authority.startsWith("[") ? authority.lastIndexOf("]") : authority.indexOf(":") - 1;
  if (authority.startsWith("[") && end < 0) return "missing ']' in host";
  const port = end < -1 || authority.indexOf(":") < 0 ? "" : authority.slice(end + 1);
  return /^(?::\d*)?$/.test(port) ? undefined : `invalid port ${goQuote(port)} after host`;
}

/** An invalid port is reported only when it is dialled. */
function withPort(url: string): string {
  const port = /:(\d+)$/.exec(authorityOf(url))?.[1];
  if (port === undefined || Number(port) <= 65_535) return url;
  throw new PortError(`dial tcp: address ${port}: invalid port`);
}
