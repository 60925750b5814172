import type { ObjectMeta, OwnerReference } from "#/api/meta/v1-definitions.ts";
import { termHeader } from "#/client/leader-term.ts";
import { defaultManager } from "#/machinery/apply/default-manager.ts";
import { denied } from "../auth/authorize.ts";
import { type Exchange, header, type UserInfo } from "../model/exchange.ts";
import type { Attributes } from "../registry/admission.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { ApiObject, RequestContext } from "../registry/strategy.ts";
import type { WriteOptions } from "./options.ts";

const anonymous: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** The context for the hooks of a write. */
export function contextOf(
  { exchange, services, target }: ResourceRequest,
  dryRun: boolean,
): RequestContext {
  const term = header(exchange, termHeader);
  return {
    user: exchange.user,
    apiVersion: target.apiVersion,
    namespace: exchange.info.namespace,
    subresource: exchange.info.subresource,
    dryRun,
    now: services.clock.now(),
    authorizer: services.authorizer,
    pace: exchange.pace,
    term: term === undefined ? undefined : services.openTerm(term),
    trail: exchange.trail,
    warn: (text) => addWarning(exchange, text),
    enabled: services.enabled,
    allowPrivileged: services.allowPrivileged ?? false,
    store: (resource) => services.store(resource),
  };
}

/** Limit of the warnings of a request: the headers have room for no more, of one character each. */
const maxWarnings = 4096;

/** Each warning is sent once. */
export function addWarning({ warnings }: Exchange, text: string): void {
  if (text !== "" && warnings.size < maxWarnings) warnings.add(text);
}

/** The manager's name in managedFields: fieldManager, or the program in the User-Agent. */
export function managerOf({ fieldManager }: WriteOptions, exchange: Exchange): string {
  return fieldManager === "" ? defaultManager(header(exchange, "user-agent") ?? "") : fieldManager;
}

/** The request as admission sees it. */
export function attributesOf(
  request: ResourceRequest,
  operation: Attributes["operation"],
  details: {
    object?: ApiObject;
    oldObject?: ApiObject;
    name: string;
    options: object;
    dryRun: boolean;
  },
): Attributes {
  const { exchange, target } = request;
  const { handle } = target.version;
  return {
    operation,
    resource: handle,
    subresource: exchange.info.subresource,
    kind: handle,
    namespace: operation === "CREATE" ? newScope(request, details.name) : exchange.info.namespace,
    name: details.name,
    object: details.object,
    oldObject: details.oldObject,
    options: details.options as Record<string, unknown>,
    dryRun: details.dryRun,
    user: exchange.user ?? anonymous,
    trail: exchange.trail,
    pace: exchange.pace,
    warn: (text) => addWarning(exchange, text),
    annotate: (key, value) => exchange.annotations.set(key, value),
  };
}

/** The namespace of an object that is being created. */
export function newScope({ exchange, target }: ResourceRequest, name: string): string {
  return target.resource.declaration.isNamespace ? name : exchange.info.namespace;
}

/** A PUT or apply that creates needs permission to create as well. */
export async function authorizeCreate({ exchange, services }: ResourceRequest): Promise<void> {
  const { info } = exchange;
  const attributes = { ...info, user: exchange.user ?? anonymous, verb: "create" };
  const { decision, reason } = await services.authorizer.authorize(attributes);
  if (decision === "allow") return;
  throw denied(attributes, reason);
}

/** An object may name the same owner only once. */
export function dedupeOwners(meta: ObjectMeta, exchange: Exchange, afterAdmission: boolean): void {
  const owners = meta.ownerReferences;
  if (!owners || owners.length < 2) return;
  const kept = new Map<string, OwnerReference>();
  const twice = new Set<string>();
  for (const owner of owners) {
    const content = JSON.stringify(owner);
    if (kept.has(content)) twice.add(owner.uid);
    else kept.set(content, owner);
  }
  if (twice.size === 0) return;
  meta.ownerReferences = [...kept.values()];
  const uids = [...twice].join(", ");
  addWarning(
    exchange,
    afterAdmission
      ? `.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`
      : `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  );
}
