/** Upstream: k8s.io/client-go/rest/url_utils.go (DefaultServerURL), and Go's net/url. */
import { goQuote } from "#/std/go/go-quote.ts";

/** A server's address that no request can be sent to. Its message is what Go says of the URL. */
export class ServerUrlError extends Error {
  override readonly name = "ServerUrlError";
}

/** The URL of a server. One that is no URL is a host, which is asked without TLS, as client-go does it. */
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

/** The name and port of a URL, without who asks. */
function authorityOf(url: string): string {
  const authority = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
  return authority.slice(authority.lastIndexOf("@") + 1);
}

/** Why Go does not read a URL; undefined if it does. */
function hostProblem(url: string): string | undefined {
  const authority = authorityOf(url);
  const invalid = /[^\w.~!$&'()*+,;=:[\]<>"%\u0080-\uffff-]/.exec(authority)?.[0];
  if (invalid !== undefined) return `invalid character ${goQuote(invalid)} in host name`;
  const end = authority.startsWith("[") ? authority.lastIndexOf("]") : authority.indexOf(":") - 1;
  if (authority.startsWith("[") && end < 0) return "missing ']' in host";
  const port = end < -1 || authority.indexOf(":") < 0 ? "" : authority.slice(end + 1);
  return /^(?::\d*)?$/.test(port) ? undefined : `invalid port ${goQuote(port)} after host`;
}

/** A port that is none is found only when it is dialled. */
function withPort(url: string): string {
  const port = /:(\d+)$/.exec(authorityOf(url))?.[1];
  if (port === undefined || Number(port) <= 65_535) return url;
  throw new ServerUrlError(`dial tcp: address ${port}: invalid port`);
}
