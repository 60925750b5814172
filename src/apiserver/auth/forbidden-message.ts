import type { Attributes } from "./authorizer.ts";

/**
 * What somebody who may not do something is told. Upstream:
 * apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
 */
export function forbiddenMessage(attributes: Attributes, reason: string): string {
  const message = describe(attributes);
  return reason === "" ? message : `${message}: ${reason}`;
}

function describe({ user, verb, path, isResourceRequest, ...what }: Attributes): string {
  const name = JSON.stringify(user.name);
  if (!isResourceRequest) return `User ${name} cannot ${verb} path ${JSON.stringify(path)}`;
  const resource = what.subresource === "" ? what.resource : `${what.resource}/${what.subresource}`;
  const where =
    what.namespace === ""
      ? "at the cluster scope"
      : `in the namespace ${JSON.stringify(what.namespace)}`;
  return `User ${name} cannot ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(what.apiGroup)} ${where}`;
}
