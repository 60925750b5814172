import { isAbsolute } from "node:path";
import { isDNS1123Subdomain } from "#/machinery/meta/names.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { parseYaml } from "#/std/text/yaml.ts";
import { compileMatchConditions } from "./base/match-conditions.ts";

/**
 * The file of --authorization-config.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/apis/apiserver/v1/types.go,
 * staging/src/k8s.io/apiserver/pkg/apis/apiserver/validation/validation.go.
 */
interface AuthorizerConfiguration {
  readonly type: string;
  readonly name: string;
  readonly webhook?: WebhookConfiguration;
}

export interface WebhookConfiguration {
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  readonly timeoutMs: number;
  readonly version: string;
  readonly onFailure: "deny" | "no-opinion";
  readonly kubeConfigFile: string;
  readonly matches?: ReturnType<typeof compileMatchConditions>;
}

type Fields = Readonly<Record<string, unknown>>;

const kind = "AuthorizationConfiguration";
const apiVersions = ["v1", "v1beta1", "v1alpha1"].map((name) => `apiserver.config.k8s.io/${name}`);
const types = ["ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"];
const maxTimeoutMs = 30_000;

/** Reads the file; throws if it is not a valid configuration. */
export function readAuthorizationConfiguration(text: string): AuthorizerConfiguration[] {
  const found = (parseYaml(text) ?? {}) as Fields;
  if (!apiVersions.includes(String(found["apiVersion"])) || found["kind"] !== kind) {
    throw new Error(`expected ${kind}, got ${found["apiVersion"]} ${found["kind"]}`);
  }
  const list = (found["authorizers"] ?? []) as Fields[];
  if (list.length === 0) {
    throw new Error("authorizers: Required value: at least one authorization mode must be defined");
  }
  const seen = new Set<string>();
  return list.map((entry, index) => readAuthorizer(entry, `authorizers[${index}]`, seen));
}

function readAuthorizer(entry: Fields, path: string, seen: Set<string>): AuthorizerConfiguration {
  const type = String(entry["type"] ?? "");
  const name = String(entry["name"] ?? "");
  if (type === "") throw new Error(`${path}.type: Required value`);
  if (!types.includes(type)) {
    const known = types.map(goQuote).join(", ");
    throw new Error(
      `${path}.type: Unsupported value: ${goQuote(type)}: supported values: ${known}`,
    );
  }
  if (type !== "Webhook" && seen.has(`type ${type}`)) {
    throw new Error(`${path}.type: Duplicate value: ${goQuote(type)}`);
  }
  if (name === "") throw new Error(`${path}.name: Required value`);
  if (seen.has(`name ${name}`)) throw new Error(`${path}.name: Duplicate value: ${goQuote(name)}`);
  const problems = isDNS1123Subdomain(name);
  if (problems.length > 0) {
    const why = `authorizer name is invalid: ${problems.join(", ")}`;
    throw new Error(`${path}.name: Invalid value: ${goQuote(name)}: ${why}`);
  }
  seen.add(`type ${type}`).add(`name ${name}`);
  const webhook = entry["webhook"] as Fields | undefined;
  if (type !== "Webhook" && webhook) {
    const why = "may only be specified when type=Webhook";
    throw new Error(`${path}.webhook: Invalid value: "non-null": ${why}`);
  }
  if (type !== "Webhook") {
    const expected = type.toLowerCase();
    if (name === expected) return { type, name };
    throw new Error(`expected name ${expected} for authorizer ${type} instead of ${name}`);
  }
  if (!webhook) throw new Error(`${path}.webhook: Required value: required when type=Webhook`);
  return { type, name, webhook: readWebhook(webhook, path) };
}

function readWebhook(webhook: Fields, path: string): WebhookConfiguration {
  const timeoutMs = durationOf(webhook, "timeout", 0);
  if (timeoutMs === 0) throw new Error(`${path}.timeout: Required value`);
  if (timeoutMs < 0 || timeoutMs > maxTimeoutMs) {
    const value = goQuote(String(webhook["timeout"]));
    throw new Error(`${path}.timeout: Invalid value: ${value}: must be > 0s and <= 30s`);
  }
  const version = oneOf(webhook, "subjectAccessReviewVersion", ["v1", "v1beta1"], path);
  const policy = oneOf(webhook, "failurePolicy", ["NoOpinion", "Deny"], path);
  const conditions = (webhook["matchConditions"] ?? []) as { expression: string }[];
  const ttl = (name: string, cache: string, otherwise: number): number =>
    webhook[cache] === false ? 0 : durationOf(webhook, name, otherwise) || otherwise;
  return {
    authorizedTtlMs: ttl("authorizedTTL", "cacheAuthorizedRequests", 300_000),
    unauthorizedTtlMs: ttl("unauthorizedTTL", "cacheUnauthorizedRequests", 30_000),
    timeoutMs,
    version,
    onFailure: policy === "Deny" ? "deny" : "no-opinion",
    kubeConfigFile: connectionFile(webhook, path),
    ...(conditions.length > 0 ? { matches: readConditions(webhook, conditions, path) } : {}),
  };
}

function readConditions(
  webhook: Fields,
  conditions: readonly { expression: string }[],
  path: string,
): ReturnType<typeof compileMatchConditions> {
  if (webhook["matchConditionSubjectAccessReviewVersion"] === undefined) {
    const field = `${path}.matchConditionSubjectAccessReviewVersion`;
    throw new Error(`${field}: Required value: required if match conditions are specified`);
  }
  oneOf(webhook, "matchConditionSubjectAccessReviewVersion", ["v1"], path);
  return compileMatchConditions(conditions.map(({ expression }) => expression));
}

function connectionFile(webhook: Fields, path: string): string {
  const info = (webhook["connectionInfo"] ?? {}) as Fields;
  const field = `${path}.connectionInfo`;
  if (info["type"] !== "KubeConfigFile") {
    const value = goQuote(String(info["type"] ?? ""));
    throw new Error(
      `${field}.type: Unsupported value: ${value}: supported values: "KubeConfigFile"`,
    );
  }
  const file = String(info["kubeConfigFile"] ?? "");
  if (file === "") throw new Error(`${field}.kubeConfigFile: Required value`);
  if (!isAbsolute(file)) {
    const why = "must be an absolute path";
    throw new Error(`${field}.kubeConfigFile: Invalid value: ${goQuote(file)}: ${why}`);
  }
  return file;
}

function oneOf(fields: Fields, name: string, allowed: readonly string[], path: string): string {
  const value = String(fields[name] ?? "");
  if (value === "") throw new Error(`${path}.${name}: Required value`);
  if (allowed.includes(value)) return value;
  const known = allowed.map(goQuote).join(", ");
  throw new Error(
    `${path}.${name}: Unsupported value: ${goQuote(value)}: supported values: ${known}`,
  );
}

function durationOf(fields: Fields, name: string, otherwise: number): number {
  const value = fields[name];
  return value === undefined ? otherwise : parseDuration(String(value));
}
