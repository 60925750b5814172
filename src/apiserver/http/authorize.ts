import { forbidden, internalError } from "#/machinery/status-error.ts";
import type { Authorizer } from "../auth/authorizer.ts";
import { forbiddenMessage } from "../auth/forbidden-message.ts";
import type { Filter } from "./exchange.ts";

/** Lets through what the user may do. Upstream: endpoints/filters/authorization.go. */
export function authorize(authorizer: Authorizer): Filter {
  return async function authorizeFilter(exchange, next) {
    const { user, info, annotations } = exchange;
    if (!user) throw internalError(new Error("no user found for request"));
    const attributes = { ...info, user };
    const asked = authorizer.authorize(attributes);
    const { decision, reason } = asked instanceof Promise ? await asked : asked;
    annotations.set("authorization.k8s.io/decision", decision === "allow" ? "allow" : "forbid");
    annotations.set("authorization.k8s.io/reason", reason);
    if (decision === "allow") return next(exchange);
    const resource = info.isResourceRequest
      ? { group: info.apiGroup, name: info.resource }
      : undefined;
    throw forbidden(resource, info.name, forbiddenMessage(attributes, reason));
  };
}
