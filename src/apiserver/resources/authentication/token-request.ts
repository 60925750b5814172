import { randomUUID } from "node:crypto";
import type { BoundObjectReference, TokenRequest } from "#/api/authentication/v1.ts";
import {
  nodes,
  type Pod,
  pods,
  type ServiceAccount,
  secrets,
  serviceAccounts,
} from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { updateManagedFields } from "#/machinery/apply/update-managed-fields.ts";
import { type FieldError, invalid as invalidField } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import {
  badRequest,
  conflict,
  internalError,
  invalid,
  methodNotSupported,
} from "#/machinery/meta/status-error.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { serviceAccountUserName } from "../../auth/service-account/user-name.ts";
import type { ResourceName } from "../../model/resource-name.ts";
import type { TokenServices } from "../../model/token-services.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { Result } from "../../registry/result.ts";
import type { ActionStrategy, Decoded } from "../../registry/strategy.ts";
import { admitAction, readActionBody } from "../../verbs/action-body.ts";
import { parseWriteOptions } from "../../verbs/options.ts";
import { addWarning, managerOf } from "../../verbs/write-request.ts";

/**
 * serviceaccounts/token: issues a token that expires, and that is invalid once its bound object is deleted.
 *
 * Upstream: pkg/registry/core/serviceaccount/storage/token.go, pkg/serviceaccount/claims.go.
 */
export const serviceAccountToken: ActionStrategy = { create: requestToken };

const kind = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
const minSeconds = 10 * 60;
const maxSeconds = 2 ** 32;
const defaultSeconds = 60 * 60;
/** Lifetime (seconds) that Pod volumes request: such tokens last a year; their use after this time is recorded. */
const extendableSeconds = 60 * 60 + 7;
const extendedSeconds = 365 * 24 * 60 * 60;

async function requestToken(request: ResourceRequest): Promise<Result> {
  const { exchange, services, target } = request;
  const { tokens } = services;
  if (!tokens?.issuer) throw methodNotSupported(target.version.handle, "create");
  const options = parseWriteOptions(exchange.query, "CreateOptions");
  const body = await readActionBody<TokenRequest>(request, kind, options);
  const { name, namespace } = exchange.info;
  body.spec.expirationSeconds ??= defaultSeconds;
  noteManager(body, managerOf(options, exchange), services.clock.now());
  const admit = await admitAction(request, kind, body, options);
  checkNames(body, exchange.info);
  const stored = await services.store(serviceAccounts).get(namespace, name);
  const account = stored.parsed() as Decoded<ServiceAccount>;
  const now = services.clock.now();
  complete(body, account, tokens, now);
  const errors = validate(body);
  if (errors.length > 0) throw invalid(kind, "", errors);
  await admit();
  const bound = await findBound(request, body.spec.boundObjectRef);
  shorten(request, body, tokens);
  const { token, expirySeconds, id } = await issue(body, account, bound, tokens, now);
  exchange.annotations.set("authentication.kubernetes.io/issued-credential-id", `JTI=${id}`);
  const status = { token, expirationTimestamp: formatTime(now + expirySeconds * 1000) };
  const value = { ...body, status };
  return { type: "value", status: 201, value };
}

/** Records managed fields, as for every object that a client sends. */
function noteManager(body: Decoded<TokenRequest>, manager: string, nowMs: number): void {
  const schema = findSchema(kind.group, kind.version, kind.kind);
  if (!schema) return;
  const { metadata } = updateManagedFields({
    kind: {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      schema,
      version: () => undefined,
    },
    live: undefined,
    next: body as unknown as JsonObject,
    manager,
    subresource: "token",
    now: formatTime(nowMs),
  }) as unknown as TokenRequest;
  if (metadata.managedFields) body.metadata.managedFields = metadata.managedFields;
}

function checkNames({ metadata }: TokenRequest, info: { name: string; namespace: string }): void {
  for (const field of ["name", "namespace"] as const) {
    const given = metadata[field];
    if (!given || given === info[field]) continue;
    const path = fieldPath("metadata", field);
    const detail = `must match the service account ${field} if specified`;
    throw invalid(kind, info.name, [invalidField(path, given, detail)]);
  }
}

function complete(
  body: TokenRequest,
  { metadata }: ServiceAccount,
  { audiences }: TokenServices,
  now: number,
): void {
  const { uid } = body.metadata;
  if (uid && uid !== metadata.uid) {
    const detail = `the UID in the token request (${uid}) does not match the UID of the service account (${metadata.uid})`;
    throw conflict({ group: kind.group, name: kind.kind }, metadata.name ?? "", detail);
  }
  if (!body.spec.audiences?.length) body.spec.audiences = [...audiences];
  body.metadata.name = metadata.name ?? "";
  body.metadata.namespace = metadata.namespace ?? "";
  body.metadata.uid = metadata.uid ?? "";
  body.metadata.creationTimestamp = formatTime(now);
  delete body.status;
}

function validate({ spec }: TokenRequest): FieldError[] {
  const { expirationSeconds: seconds = 0, attestations } = spec;
  if (attestations && Object.keys(attestations).length > 0) {
    const path = fieldPath("spec", "attestations");
    const detail = "attestations may only be specified with a webhook bound object reference";
    return [invalidField(path, attestations, detail)];
  }
  const path = fieldPath("spec", "expirationSeconds");
  if (seconds < minSeconds) {
    return [invalidField(path, seconds, "may not specify a duration less than 10 minutes")];
  }
  if (seconds > maxSeconds) {
    return [invalidField(path, seconds, "may not specify a duration larger than 2^32 seconds")];
  }
  return [];
}

/** The object that a token is bound to. */
interface Bound {
  readonly kind: "pod" | "node" | "secret";
  readonly object: NamedObject;
  /** The node of a bound pod. */
  readonly node?: NamedObject;
}

interface NamedObject {
  readonly name: string;
  readonly uid?: string;
}

const named = ({ name = "", uid }: ObjectMeta): NamedObject => ({ name, ...(uid ? { uid } : {}) });

async function findBound(
  request: ResourceRequest,
  ref: BoundObjectReference | undefined,
): Promise<Bound | undefined> {
  if (!ref) return undefined;
  const { apiVersion = "", kind: refKind = "", name = "", uid } = ref;
  const bound = await lookUp(request, apiVersion, refKind, name);
  if (uid && uid !== bound.object.uid) {
    const detail = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: "", name: refKind }, name, detail);
  }
  return bound;
}

async function lookUp(
  { services, exchange }: ResourceRequest,
  apiVersion: string,
  refKind: string,
  name: string,
): Promise<Bound> {
  const { namespace, name: account } = exchange.info;
  const core = !apiVersion.includes("/");
  const get = async (resource: ResourceName, scope: string) =>
    (await services.store(resource).get(scope, name)).parsed();
  if (core && refKind === "Pod") {
    const pod = (await get(pods, namespace)) as Decoded<Pod>;
    if (pod.spec.serviceAccountName !== account) {
      throw badRequest(
        `cannot bind token for serviceaccount ${goQuote(account)} to pod running with different serviceaccount name.`,
      );
    }
    const { nodeName } = pod.spec;
    if (!nodeName) return { kind: "pod", object: named(pod.metadata) };
    const node = services.store(nodes).findCached("", nodeName)?.parsed().metadata;
    return { kind: "pod", object: named(pod.metadata), node: named(node ?? { name: nodeName }) };
  }
  if (core && refKind === "Node") {
    return { kind: "node", object: named((await get(nodes, "")).metadata) };
  }
  if (core && refKind === "Secret") {
    return { kind: "secret", object: named((await get(secrets, namespace)).metadata) };
  }
  throw cannotBind(apiVersion, refKind);
}

function cannotBind(apiVersion: string, refKind: string): Error {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const type = `${group}/${version}, Kind=${refKind}`;
  const webhook = refKind.endsWith("WebhookConfiguration") && group?.startsWith("admission");
  const gate = webhook ? " (feature gate APIServerWebhookAuthenticationToken is disabled)" : "";
  return badRequest(`cannot bind token to object of type ${type}${gate}`);
}

function shorten(request: ResourceRequest, { spec }: TokenRequest, tokens: TokenServices): void {
  const max = tokens.issuer?.maxExpirationSeconds ?? 0;
  const seconds = spec.expirationSeconds ?? 0;
  if (max === 0 || seconds <= max) return;
  const text = `requested expiration of ${seconds} seconds shortened to ${max} seconds`;
  addWarning(request.exchange, text);
  spec.expirationSeconds = max;
}

async function issue(
  { spec }: TokenRequest,
  { metadata }: ServiceAccount,
  bound: Bound | undefined,
  { issuer, audiences: own }: TokenServices,
  nowMs: number,
): Promise<{ token: string; expirySeconds: number; id: string }> {
  const { expirationSeconds: requestedSeconds = defaultSeconds, audiences = [] } = spec;
  const isOwn = audiences.length > 0 && audiences.every((audience) => own.includes(audience));
  const extend =
    issuer?.extendExpiration &&
    bound?.kind === "pod" &&
    requestedSeconds === extendableSeconds &&
    isOwn;
  const extended = Math.min(extendedSeconds, issuer?.maxExtendedSeconds ?? extendedSeconds);
  const now = Math.floor(nowMs / 1000);
  const { name = "", namespace = "" } = metadata;
  const id = randomUUID();
  const claims = {
    aud: audiences,
    exp: now + (extend ? extended : requestedSeconds),
    iat: now,
    jti: id,
    "kubernetes.io": {
      namespace,
      ...(bound?.kind === "pod" && bound.node ? { node: bound.node } : {}),
      ...(bound ? { [bound.kind]: bound.object } : {}),
      serviceaccount: named(metadata),
      ...(extend ? { warnafter: now + requestedSeconds } : {}),
    },
    nbf: now,
    sub: serviceAccountUserName(namespace, name),
  };
  const token = await issuer?.sign(claims).catch((error: Error) => {
    throw internalError(new Error(`failed to generate token: ${error.message}`, { cause: error }));
  });
  return { token: token ?? "", expirySeconds: requestedSeconds, id };
}
