import { readFile } from "node:fs/promises";
import { exponentialBackoff } from "#/std/backoff.ts";
import type { Clock } from "#/std/clock.ts";
import { FlagError } from "#/std/flags.ts";
import { logger } from "#/std/log.ts";
import { WebhookClient } from "../auth/webhook/webhook-client.ts";
import { readWebhookKubeconfig } from "../auth/webhook/webhook-kubeconfig.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import { AuditLog } from "./audit-log.ts";
import { type AuditPolicy, parseAuditPolicy } from "./audit-policy.ts";
import type { AuditSink } from "./audit-sink.ts";
import { AuditWebhook } from "./audit-webhook.ts";
import { truncateEvents } from "./truncate-events.ts";

/** What is recorded, and where. */
export interface Audit extends AsyncDisposable {
  readonly policy: AuditPolicy;
  readonly sinks: readonly AuditSink[];
}

const webhookTimeoutMs = 30_000;
const maxBackoffMs = 60_000;
const megabyte = 1024 * 1024;

/** Opens the audit log and webhook that flags ask for; undefined when nothing is to be recorded. */
export async function openAudit(flags: ApiServerFlags, clock: Clock): Promise<Audit | undefined> {
  const file = flags["audit-policy-file"];
  const sinks = [...openLog(flags, clock), ...openWebhook(flags, clock)];
  if (file === "" || sinks.length === 0) return undefined;
  const policy = parseAuditPolicy(await readFile(file, "utf8"), file);
  return {
    policy,
    sinks,
    async [Symbol.asyncDispose]() {
      for (const sink of sinks) await sink[Symbol.asyncDispose]();
    },
  };
}

function openLog(flags: ApiServerFlags, clock: Clock): AuditSink[] {
  const format = flags["audit-log-format"];
  if (flags["audit-log-path"] === "") return [];
  if (format !== "json" && format !== "legacy") {
    throw new FlagError(`invalid audit log format ${format}, allowed formats are "legacy,json"`);
  }
  const log = new AuditLog({
    path: flags["audit-log-path"],
    format,
    blocking: flags["audit-log-mode"] !== "batch",
    maxBytes: (flags["audit-log-maxsize"] || 100) * megabyte,
    maxBackups: flags["audit-log-maxbackup"],
    maxAgeDays: flags["audit-log-maxage"],
    compress: flags["audit-log-compress"],
    clock,
    log: logger("audit"),
  });
  return [
    flags["audit-log-truncate-enabled"]
      ? truncateEvents(log, flags["audit-log-truncate-max-event-size"], logger("audit"))
      : log,
  ];
}

function openWebhook(flags: ApiServerFlags, clock: Clock): AuditSink[] {
  const file = flags["audit-webhook-config-file"];
  if (file === "") return [];
  const endpoint = readWebhookKubeconfig(file);
  const baseMs = flags["audit-webhook-initial-backoff"];
  const backoff = exponentialBackoff({ baseMs, maxMs: maxBackoffMs, factor: 1.5, jitter: 0.2 });
  const client = new WebhookClient({ endpoint, timeoutMs: webhookTimeoutMs, clock, backoff });
  const truncates = flags["audit-webhook-truncate-enabled"];
  const webhook = new AuditWebhook({
    post: (list) => client.post(list),
    blocking: flags["audit-webhook-mode"].startsWith("blocking"),
    bufferSize: flags["audit-webhook-batch-buffer-size"],
    maxBatchSize: flags["audit-webhook-batch-max-size"],
    maxWaitMs: flags["audit-webhook-batch-max-wait"],
    ...(truncates ? { maxBatchBytes: flags["audit-webhook-truncate-max-batch-size"] } : {}),
    ...(flags["audit-webhook-batch-throttle-enable"]
      ? {
          throttle: {
            qps: flags["audit-webhook-batch-throttle-qps"],
            burst: flags["audit-webhook-batch-throttle-burst"],
          },
        }
      : {}),
    clock,
    log: logger("audit"),
  });
  const maxEventBytes = flags["audit-webhook-truncate-max-event-size"];
  return [truncates ? truncateEvents(webhook, maxEventBytes, logger("audit")) : webhook];
}
