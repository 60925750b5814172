import type { ParamKind, ParamRef } from "#/api/admissionregistration/v1.ts";
import { resources } from "#/api/index.ts";
import { type FieldError, forbidden } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import type { KindName } from "#/machinery/meta/status-error.ts";
import { invalid } from "#/machinery/meta/status-error.ts";
import { noAttributes } from "../../model/authorizer.ts";
import type { UserInfo } from "../../model/exchange.ts";
import type { Claim, RequestContext } from "../../registry/strategy.ts";
import { isPrivileged, nothingClaimed } from "../rbac/escalation.ts";

/**
 * A user that gives a policy access to parameters must be allowed to read these parameters.
 * Upstream: pkg/registry/admissionregistration/validatingadmissionpolicy/authz.go,
 * pkg/registry/admissionregistration/validatingadmissionpolicybinding/authz.go.
 */

/** Throws 422 if there is a problem; else returns an empty Claim. */
export function refuseUnless(
  problem: FieldError | undefined,
  kind: KindName,
  name: string | undefined,
): Claim {
  if (problem) throw invalid(kind, name ?? "", [problem]);
  return nothingClaimed;
}

/** Why the user may not use a kind of parameters in a policy; undefined if allowed. */
export async function findParamKindProblem(
  paramKind: ParamKind | undefined,
  context: RequestContext,
): Promise<FieldError | undefined> {
  if (!paramKind || isPrivileged(context)) return undefined;
  const path = fieldPath("spec", "paramKind");
  const { user } = context;
  if (!user) {
    return forbidden(path, "cannot identify user to authorize read access to paramKind resources");
  }
  const { decision, error } = await context.authorizer.authorize({
    ...noAttributes,
    ...resourceOf(paramKind),
    user,
    verb: "get",
    name: "*",
    namespace: "*",
  });
  if (error) return forbidden(path, error.message);
  if (decision === "allow") return undefined;
  const { kind = "", apiVersion = "" } = paramKind;
  return forbidden(
    path,
    `user ${describeUser(user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`,
  );
}

/** The policy and the parameters that a binding refers to. */
interface BoundParams {
  readonly policyName: string;
  readonly paramRef: ParamRef;
  /** The policy's kind of parameters. If the policy does not exist, `missing` is set. */
  readonly paramKind: ParamKind | undefined;
  readonly missing: boolean;
}

/** Why a binding may not refer to its parameters; undefined if allowed. */
export async function findParamRefProblem(
  { policyName, paramRef, paramKind, missing }: BoundParams,
  context: RequestContext,
): Promise<string | undefined> {
  if (isPrivileged(context)) return undefined;
  const { user } = context;
  if (!user) return "cannot identify user to authorize read access to paramRef object";
  const verb = paramRef.name ? "get" : "list";
  const resource = paramKind ? resourceOf(paramKind) : anyResource;
  const { decision, error } = await context.authorizer.authorize({
    ...noAttributes,
    ...resource,
    user,
    verb,
    name: paramRef.name ?? "",
    namespace: paramRef.namespace ?? "",
  });
  if (error) return `failed to authorize request: ${error.message}`;
  if (decision === "allow") return undefined;
  const lacks = `to determine minimum required permissions and user ${describeUser(user)} does not have "${verb}" permission for all groups, versions and resources`;
  if (missing) return `unable to get policy ${policyName} ${lacks}`;
  if (paramKind && resource.resource === "*") {
    const { apiVersion = "", kind = "" } = paramKind;
    return `unable to resolve paramKind &ParamKind{APIVersion:${apiVersion},Kind:${kind},} ${lacks}`;
  }
  return `user ${describeUser(user)} does not have "${verb}" permission on the object referenced by paramRef`;
}

const anyResource = { apiGroup: "*", apiVersion: "*", resource: "*" };

function resourceOf({ apiVersion = "", kind = "" }: ParamKind) {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const known = resources.find(
    (handle) => handle.group === group && handle.version === version && handle.kind === kind,
  );
  return { apiGroup: group, apiVersion: version, resource: known?.name ?? "*" };
}

/** A user as Go prints one. */
function describeUser({ name, uid = "", groups, extra = {} }: UserInfo): string {
  const more = Object.entries(extra)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${key}:[${values.join(" ")}]`);
  return `&{${name} ${uid} [${groups.join(" ")}] map[${more.join(" ")}]}`;
}
