import type { Authenticator } from "../../model/authenticator.ts";
import { type Exchange, header, headerValues, type UserInfo } from "../../model/exchange.ts";
import type { TokenAuthenticator } from "../../model/token-services.ts";

const protocolPrefix = "base64url.bearer.authorization.k8s.io.";
const protocolHeader = "sec-websocket-protocol";
const spaceWarning =
  "the provided Authorization header contains extra space before the bearer token, and is ignored";

/**
 * Authenticates by the token of the Authorization header, or of a WebSocket's subprotocol, the only place for browsers.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/authentication/request/bearertoken,
 * staging/src/k8s.io/apiserver/pkg/authentication/request/websocket.
 */
export function bearerToken(
  tokens: TokenAuthenticator,
  audiences: readonly string[],
): Authenticator {
  return {
    name: "bearer token",
    async authenticate(exchange): Promise<UserInfo | undefined> {
      const token = tokenInHeader(exchange) ?? tokenInProtocol(exchange);
      if (token === undefined) return undefined;
      const answer = await tokens.authenticateToken(token, audiences, exchange);
      if (!answer) throw new Error("invalid bearer token");
      return answer.user;
    },
  };
}

function tokenInHeader(exchange: Exchange): string | undefined {
  const [scheme, token, rest] = (header(exchange, "authorization") ?? "").trim().split(" ");
  if (scheme?.toLowerCase() !== "bearer" || token === undefined) return undefined;
  if (token !== "") return token;
  if (rest !== undefined) exchange.warnings.add(spaceWarning);
  return undefined;
}

function tokenInProtocol(exchange: Exchange): string | undefined {
  if (header(exchange, "upgrade")?.toLowerCase() !== "websocket") return undefined;
  const protocols = headerValues(exchange, protocolHeader)
    .flatMap((value) => value.split(","))
    .map((protocol) => protocol.trim());
  const carriers = protocols.filter((protocol) => protocol.startsWith(protocolPrefix));
  if (carriers.length > 1) throw new Error("multiple base64.bearer.authorization tokens specified");
  const encoded = carriers[0]?.slice(protocolPrefix.length);
  if (encoded === undefined) return undefined;
  if (!/^[A-Za-z0-9_-]*$/.test(encoded)) {
    throw new Error("invalid base64.bearer.authorization token encoding");
  }
  const token = Buffer.from(encoded, "base64url").toString("utf8");
  if (token.includes("\ufffd")) throw new Error("invalid base64.bearer.authorization token");
  if (token === "") return undefined;
  if (protocols.length === 1) throw new Error("missing additional subprotocol");
  return token;
}
