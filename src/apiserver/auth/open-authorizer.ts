import { readFileSync } from "node:fs";
import { FileContent } from "#/std/files/file-content.ts";
import { FlagError } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Dial } from "../egress/egress.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import type { Authorizer } from "../model/authorizer.ts";
import type { FollowingServices } from "../model/opening-services.ts";
import { WebhookClient } from "../outgoing/webhook-client.ts";
import { readWebhookKubeconfig } from "../outgoing/webhook-kubeconfig.ts";
import type { Registry } from "../registry/registry.ts";
import { AbacAuthorizer } from "./abac-authorizer.ts";
import {
  readAuthorizationConfiguration,
  type WebhookConfiguration,
} from "./authorization-configuration.ts";
import { AuthorizationMetrics } from "./base/authorization-metrics.ts";
import { ConfigReloads } from "./base/config-reloads.ts";
import { goQuoteList } from "./base/covers.ts";
import { alwaysAllow, alwaysDeny, privilegedGroup } from "./fixed-authorizers.ts";
import { NodeAuthorizer } from "./node/node-authorizer.ts";
import { nodeRelationsOf } from "./node/node-relations-of.ts";
import { readBootstrapPolicy } from "./rbac/bootstrap-policy.ts";
import { RbacAuthorizer } from "./rbac/rbac-authorizer.ts";
import { rbacIndexOf } from "./rbac/rbac-index-of.ts";
import { UnionAuthorizer } from "./union-authorizer.ts";
import { WebhookAuthorizer } from "./webhook/webhook-authorizer.ts";

const modeNames = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"];
const webhookTimeoutMs = 30_000;

/**
 * The chain of authorizers of the flags or the configuration file. The file may change while the server runs: webhooks
 * are added and removed, the others stay.
 *
 * Upstream: pkg/kubeapiserver/authorizer/reload.go, pkg/kubeapiserver/options/authorization.go.
 */
export async function openAuthorizer(
  flags: ApiServerFlags,
  registry: Registry,
  { metrics = new Metrics(), egress = {}, files }: FollowingServices,
): Promise<Authorizer> {
  const file = flags["authorization-config"];
  const opening = {
    flags,
    registry,
    dial: egress.controlPlane,
    files,
    metrics: new AuthorizationMetrics(metrics, registry.clock),
  };
  if (file) {
    const reloads = new ConfigReloads(metrics, registry.clock, {
      subsystem: "authorization_config_controller",
      stability: "BETA",
    });
    return openConfigured(file, opening, reloads);
  }
  const given = flags["authorization-mode"] ?? [];
  const modes = given.length > 0 ? given : ["AlwaysAllow"];
  checkFlags(flags, modes);
  const chain = modes.map((mode) =>
    mode === "Webhook"
      ? opening.metrics.counted(webhookOfFlags(opening), mode, "default")
      : opening.metrics.counted(openMode(mode, flags, registry), mode, mode.toLowerCase()),
  );
  return new UnionAuthorizer([privilegedGroup, ...chain]);
}

/** Dependencies of authorizers. */
interface Opening {
  readonly flags: ApiServerFlags;
  readonly registry: Registry;
  readonly dial: Dial | undefined;
  readonly files: DisposableStack;
  readonly metrics: AuthorizationMetrics;
}

function openConfigured(file: string, opening: Opening, reloads: ConfigReloads): Authorizer {
  const { flags, registry, metrics, files } = opening;
  if (
    (flags["authorization-mode"] ?? []).length > 0 ||
    flags["authorization-webhook-config-file"]
  ) {
    throw new FlagError(
      "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
    );
  }
  const opened = new Map<string, Authorizer>();
  const open = (bytes: Buffer): UnionAuthorizer => {
    const configured = readAuthorizationConfiguration(bytes.toString("utf8"));
    const started = opened.size > 0;
    const chain = configured.map(({ type, name, webhook }) => {
      if (webhook) return metrics.counted(openWebhook(name, webhook, opening), type, name);
      const known = opened.get(type);
      if (!known && started) {
        throw new Error(
          `authorizer type ${type} is not allowed if it was not enabled at initial server startup`,
        );
      }
      const authorizer = known ?? openMode(type, flags, registry);
      opened.set(type, authorizer);
      return metrics.counted(authorizer, type, name);
    });
    return new UnionAuthorizer([privilegedGroup, ...chain]);
  };
  const content = files.use(new FileContent(file, reloads.followed(open), registry.clock));
  return {
    name: "configured",
    authorize: (attributes) => content.value.authorize(attributes),
    rulesFor: (user, namespace) => content.value.rulesFor(user, namespace),
  };
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

function openMode(mode: string, flags: ApiServerFlags, registry: Registry): Authorizer {
  switch (mode) {
    case "AlwaysAllow":
      return alwaysAllow;
    case "AlwaysDeny":
      return alwaysDeny;
    case "ABAC": {
      const path = flags["authorization-policy-file"] ?? "";
      return new AbacAuthorizer(readFileSync(path, "utf8"), path);
    }
    case "Node":
      return new NodeAuthorizer(nodeRelationsOf(registry), nodeRules());
    default:
      return new RbacAuthorizer(rbacIndexOf(registry));
  }
}

/** The rules of every node: those of the role that nodes were bound to in the past. */
function nodeRules() {
  const { clusterroles } = readBootstrapPolicy();
  return clusterroles.find(({ metadata }) => metadata.name === "system:node")?.rules ?? [];
}

function webhookOfFlags(opening: Opening): Authorizer {
  const { flags } = opening;
  return openWebhook(
    "default",
    {
      kubeConfigFile: flags["authorization-webhook-config-file"] ?? "",
      timeoutMs: webhookTimeoutMs,
      version: flags["authorization-webhook-version"] ?? "v1beta1",
      authorizedTtlMs: flags["authorization-webhook-cache-authorized-ttl"] ?? 0,
      unauthorizedTtlMs: flags["authorization-webhook-cache-unauthorized-ttl"] ?? 0,
      onFailure: "no-opinion",
    },
    opening,
  );
}

function openWebhook(
  name: string,
  { kubeConfigFile, timeoutMs, ...rest }: WebhookConfiguration,
  { registry: { clock }, dial, metrics }: Opening,
): Authorizer {
  const endpoint = readWebhookKubeconfig(kubeConfigFile);
  const client = new WebhookClient({ endpoint, timeoutMs, clock, dial });
  return new WebhookAuthorizer({ name, client, clock, metrics, ...rest });
}
