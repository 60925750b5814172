import { readFile } from "node:fs/promises";
import { FlagError } from "#/std/flags.ts";
import { goQuote } from "#/std/go-quote.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import type { Registry } from "../registry/registry.ts";
import { AbacAuthorizer } from "./abac-authorizer.ts";
import type { Authorizer } from "./authorizer.ts";
import { alwaysAllow, alwaysDeny, privilegedGroup } from "./fixed-authorizers.ts";
import { NodeAuthorizer } from "./node/node-authorizer.ts";
import { nodeRelationsOf } from "./node/node-relations-of.ts";
import { readBootstrapPolicy } from "./rbac/bootstrap-policy.ts";
import { goQuoteList } from "./rbac/covers.ts";
import { RbacAuthorizer } from "./rbac/rbac-authorizer.ts";
import { rbacIndexOf } from "./rbac/rbac-index-of.ts";
import { UnionAuthorizer } from "./union-authorizer.ts";
import { WebhookAuthorizer } from "./webhook/webhook-authorizer.ts";
import { WebhookClient } from "./webhook/webhook-client.ts";
import { readWebhookKubeconfig } from "./webhook/webhook-kubeconfig.ts";

const modeNames = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"];
const webhookTimeoutMs = 30_000;

/**
 * The chain of authorizers that the flags ask for.
 *
 * Upstream: pkg/kubeapiserver/authorizer/reload.go, pkg/kubeapiserver/options/authorization.go.
 */
export async function openAuthorizer(
  flags: ApiServerFlags,
  registry: Registry,
): Promise<Authorizer> {
  const given = flags["authorization-mode"] ?? [];
  const modes = given.length > 0 ? given : ["AlwaysAllow"];
  checkFlags(flags, modes);
  const chain = await Promise.all(modes.map((mode) => openMode(mode, flags, registry)));
  return new UnionAuthorizer([privilegedGroup, ...chain]);
}

function checkFlags(flags: ApiServerFlags, modes: readonly string[]): void {
  const policy = flags["authorization-policy-file"];
  const webhook = flags["authorization-webhook-config-file"];
  for (const mode of modes) {
    if (!modeNames.includes(mode)) {
      throw new FlagError(`authorization-mode ${goQuote(mode)} is not a valid mode`);
    }
  }
  if (modes.includes("ABAC") && !policy) {
    throw new FlagError("authorization-mode ABAC's authorization policy file not passed");
  }
  if (modes.includes("Webhook") && !webhook) {
    throw new FlagError("authorization-mode Webhook's authorization config file not passed");
  }
  if (policy && !modes.includes("ABAC")) {
    throw new FlagError("cannot specify --authorization-policy-file without mode ABAC");
  }
  if (webhook && !modes.includes("Webhook")) {
    throw new FlagError("cannot specify --authorization-webhook-config-file without mode Webhook");
  }
  if (new Set(modes).size < modes.length) {
    const list = goQuoteList(modes);
    throw new FlagError(`authorization-mode ${list} has mode specified more than once`);
  }
}

async function openMode(
  mode: string,
  flags: ApiServerFlags,
  registry: Registry,
): Promise<Authorizer> {
  switch (mode) {
    case "AlwaysAllow":
      return alwaysAllow;
    case "AlwaysDeny":
      return alwaysDeny;
    case "ABAC": {
      const path = flags["authorization-policy-file"] ?? "";
      return new AbacAuthorizer(await readFile(path, "utf8"), path);
    }
    case "Node":
      return new NodeAuthorizer(nodeRelationsOf(registry), nodeRules());
    case "Webhook":
      return openWebhook(flags, registry);
    default:
      return new RbacAuthorizer(rbacIndexOf(registry));
  }
}

/** What every node may do: the rules of the role that nodes once were bound to. */
function nodeRules() {
  const { clusterroles } = readBootstrapPolicy();
  return clusterroles.find(({ metadata }) => metadata.name === "system:node")?.rules ?? [];
}

function openWebhook(flags: ApiServerFlags, { clock }: Registry): Authorizer {
  const endpoint = readWebhookKubeconfig(flags["authorization-webhook-config-file"] ?? "");
  return new WebhookAuthorizer({
    name: "default",
    client: new WebhookClient({ endpoint, timeoutMs: webhookTimeoutMs, clock }),
    version: flags["authorization-webhook-version"] ?? "v1beta1",
    authorizedTtlMs: flags["authorization-webhook-cache-authorized-ttl"] ?? 0,
    unauthorizedTtlMs: flags["authorization-webhook-cache-unauthorized-ttl"] ?? 0,
    onFailure: "no-opinion",
    clock,
  });
}
