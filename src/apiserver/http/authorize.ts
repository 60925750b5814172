import { forbiddenRequest } from "#/machinery/forbidden-request.ts";
import { internalError, type StatusError } from "#/machinery/status-error.ts";
import type { Attributes, Authorizer, Decision } from "../auth/authorizer.ts";
import type { Exchange, Filter } from "./exchange.ts";

/** Lets through what the user may do. Upstream: endpoints/filters/authorization.go. */
export function authorize(authorizer: Authorizer): Filter {
  return async function authorizeFilter(exchange, next) {
    const { user, info } = exchange;
    if (!user) throw internalError(new Error("no user found for request"));
    const attributes: Attributes = { ...info, user };
    const asked = authorizer.authorize(attributes);
    const decision = asked instanceof Promise ? await asked : asked;
    annotate(exchange, decision);
    if (decision.decision === "allow") return next(exchange);
    if (decision.error) throw internalError(decision.error);
    throw denied(attributes, decision.reason);
  };
}

function annotate({ annotations }: Exchange, { decision, reason, error }: Decision): void {
  if (decision !== "allow" && error) {
    annotations.set("authorization.k8s.io/reason", "internal error");
    return;
  }
  annotations.set("authorization.k8s.io/decision", decision === "allow" ? "allow" : "forbid");
  annotations.set("authorization.k8s.io/reason", reason);
}

/** What somebody who may not do something is told. */
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
