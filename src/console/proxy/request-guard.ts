import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** The header that pages of ours add to each request: another page cannot, without permission that none has. */
const pageHeader = "x-k8ts-console";

/** What a request shows about where it comes from. */
export interface GuardedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Whether it asks for another protocol, to which a page can add no headers. */
  readonly isUpgrade: boolean;
}

/** Why a request is refused. */
type Refusal = "another host name" | "another origin" | "no session" | "not from the console";

interface GuardOptions {
  readonly port: number;
  readonly cookieName: string;
  readonly session: string;
}

/** Whether a request names this server, and no other site sent it. */
export function isOwnHost({ headers }: Pick<GuardedRequest, "headers">, port: number): boolean {
  return ["127.0.0.1", "localhost"].some((name) => headers.host === `${name}:${port}`);
}

/**
 * Why a request for the API is refused; undefined if it is not. Other programs of the machine have no session; other pages
 * of the browser have another origin; a name that leads to this address is another host.
 */
export function refusalOf(
  request: GuardedRequest,
  { port, cookieName, session }: GuardOptions,
): Refusal | undefined {
  const { headers, isUpgrade } = request;
  if (!isOwnHost(request, port)) return "another host name";
  const { origin } = headers;
  if (origin === undefined ? isUpgrade : origin !== `http://${headers.host}`) {
    return "another origin";
  }
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return "another origin";
  if (!isSame(cookieOf(headers.cookie ?? "", cookieName), session)) return "no session";
  if (!isUpgrade && headers[pageHeader] === undefined) return "not from the console";
  return undefined;
}

function cookieOf(header: string, name: string): string {
  const pairs = header.split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}

/** Whether two secrets are the same, in a time that does not depend on them. */
export function isSame(given: string, secret: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
