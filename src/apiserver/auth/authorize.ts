import { forbiddenRequest, sanitize } from "#/machinery/meta/forbidden-request.ts";
import { internalError, type StatusError } from "#/machinery/meta/status-error.ts";
import { whenSettled } from "#/std/base/maybe-promise.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { logger } from "#/std/log/log.ts";
import type { Attributes, Authorizer, Decision } from "../model/authorizer.ts";
import { type Exchange, type Filter, type Reply, textReply } from "../model/exchange.ts";

const log = logger("authorization");

/** Lets authorized requests pass. Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/filters/authorization.go. */
export function authorize(authorizer: Authorizer): Filter {
  return async function authorizeFilter(exchange, next) {
    const { user, info } = exchange;
    if (!user) throw internalError(new Error("no user found for request"));
    const attributes: Attributes = { ...info, user };
    return whenSettled(authorizer.authorize(attributes), (decision) => {
      annotate(exchange, decision);
      if (decision.decision === "allow") return next(exchange);
      if (decision.error) return undecided(exchange, decision.error);
      throw unsniffed(exchange, denied(attributes, decision.reason));
    });
  };
}

/**
 * A refusal, with a header against content sniffing.
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
 */
export function unsniffed(exchange: Exchange, refusal: unknown): unknown {
  exchange.replyHeaders = { ...exchange.replyHeaders, "x-content-type-options": "nosniff" };
  return refusal;
}

/** The authorizer failed, so the request is refused; the client gets plain text, as from upstream. */
function undecided({ path, query }: Exchange, error: Error): Reply {
  const uri = query.size > 0 ? `${path}?${query}` : path;
  log.error(error, "authorization failed", { path });
  const text = `Internal Server Error: ${goQuote(uri)}: ${error.message}`;
  return textReply(500, `${sanitize(text)}\n`);
}

function annotate({ annotations }: Exchange, { decision, reason, error }: Decision): void {
  if (decision !== "allow" && error) {
    annotations.set("authorization.k8s.io/reason", "internal error");
    return;
  }
  annotations.set("authorization.k8s.io/decision", decision === "allow" ? "allow" : "forbid");
  annotations.set("authorization.k8s.io/reason", reason);
}

/** The message for a user without permission. */
export function denied(attributes: Attributes, reason: string): StatusError {
  const { user, verb, path, isResourceRequest, apiGroup, ...what } = attributes;
  return forbiddenRequest(
    isResourceRequest
      ? {
          user: user.name,
          verb,
          resource: { group: apiGroup, name: what.resource },
          subresource: what.subresource,
          namespace: what.namespace,
          name: what.name,
        }
      : { user: user.name, verb, path },
    reason,
  );
}
