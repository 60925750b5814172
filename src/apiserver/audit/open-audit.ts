import { readFile } from "node:fs/promises";
import { logger } from "#/std/log/log.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Dial } from "../egress/egress.ts";
import { auditingFlags } from "../flags/auditing.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import type { OpeningServices } from "../model/opening-services.ts";
import { WebhookClient } from "../outgoing/webhook-client.ts";
import { readWebhookKubeconfig } from "../outgoing/webhook-kubeconfig.ts";
import { AuditBuffer, type AuditBufferOptions, type WaitingEvent } from "./audit-buffer.ts";
import { checkAuditFlags } from "./audit-flags.ts";
import { AuditLog } from "./audit-log.ts";
import { AuditMetrics } from "./audit-metrics.ts";
import { type AuditPolicy, parseAuditPolicy } from "./audit-policy.ts";
import type { AuditSink } from "./audit-sink.ts";
import { truncateEvents } from "./truncate-events.ts";

/** The policy and the sinks. */
export interface Audit extends AsyncDisposable {
  readonly policy: AuditPolicy;
  readonly sinks: readonly AuditSink[];
  readonly clock: Clock;
  readonly metrics: AuditMetrics;
}

const webhookTimeoutMs = 30_000;
const maxBackoffMs = 60_000;
const megabyte = 1024 * 1024;
const log = logger("audit");

interface Services {
  readonly clock: Clock;
  readonly metrics: AuditMetrics;
  readonly dial: Dial | undefined;
}

/** Opens the audit log and webhook of the flags; undefined if nothing is recorded. */
export async function openAudit(
  flags: ApiServerFlags,
  clock: Clock,
  { metrics: registry = new Metrics(), egress = {} }: OpeningServices = {},
): Promise<Audit | undefined> {
  const file = flags["audit-policy-file"];
  const metrics = new AuditMetrics(registry);
  const services = { clock, metrics, dial: egress.controlPlane };
  checkAuditFlags(flags);
  const sinks = [...openLog(flags, services), ...openWebhook(flags, services)];
  if (file === "" || sinks.length === 0) return undefined;
  const policy = parseAuditPolicy(await readFile(file, "utf8"), file);
  return {
    policy,
    sinks,
    clock,
    metrics,
    async [Symbol.asyncDispose]() {
      for (const sink of sinks) await sink[Symbol.asyncDispose]();
    },
  };
}

function openLog(flags: ApiServerFlags, services: Services): AuditSink[] {
  if (flags["audit-log-path"] === "") return [];
  const file = new AuditLog({
    path: flags["audit-log-path"],
    format: flags["audit-log-format"] === "legacy" ? "legacy" : "json",
    maxBytes: (flags["audit-log-maxsize"] || 100) * megabyte,
    maxBackups: flags["audit-log-maxbackup"],
    maxAgeDays: flags["audit-log-maxage"],
    compress: flags["audit-log-compress"],
    log,
    ...services,
  });
  const buffered = () =>
    new AuditBuffer({
      ...bufferOptions(flags, "log", services),
      deliver: async (events) => {
        await Promise.all(events.map(({ event, bodyBytes }) => file.record(event, bodyBytes)));
      },
      close: () => file[Symbol.asyncDispose](),
    });
  return [truncated(flags, "log", inMode(flags["audit-log-mode"], file, buffered), services)];
}

function openWebhook(flags: ApiServerFlags, services: Services): AuditSink[] {
  const file = flags["audit-webhook-config-file"];
  if (file === "") return [];
  const { clock, metrics, dial } = services;
  const endpoint = readWebhookKubeconfig(file);
  const former = flags["audit-webhook-batch-initial-backoff"];
  const usual = auditingFlags["audit-webhook-batch-initial-backoff"].default;
  const baseMs = former === usual ? flags["audit-webhook-initial-backoff"] : former;
  const backoff = exponentialBackoff({ baseMs, maxMs: maxBackoffMs, factor: 1.5, jitter: 0.2 });
  const client = new WebhookClient({
    endpoint,
    timeoutMs: webhookTimeoutMs,
    clock,
    backoff,
    dial,
  });
  const deliver = async (events: readonly WaitingEvent[]): Promise<void> => {
    const items = events.map(({ event }) => event);
    try {
      await client.send({ kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {}, items });
    } catch (error) {
      metrics.lost("webhook", items.length);
      log.error(error, "failed to send audit events", { events: items.length });
      throw error;
    }
  };
  const buffered = () => new AuditBuffer({ ...bufferOptions(flags, "webhook", services), deliver });
  const direct: AuditSink = {
    record: (event, bodyBytes = 0) => deliver([{ event, bodyBytes }]),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const sink = inMode(flags["audit-webhook-mode"], direct, buffered);
  return [truncated(flags, "webhook", sink, services)];
}

/** Requests wait for their events except in batch mode; only "blocking-strict" fails a request if its event fails. */
function inMode(mode: string, direct: AuditSink, buffered: () => AuditSink): AuditSink {
  if (mode === "batch") return buffered();
  if (mode === "blocking-strict") return direct;
  return {
    record: (event, bodyBytes) => direct.record(event, bodyBytes)?.catch(() => undefined),
    [Symbol.asyncDispose]: () => direct[Symbol.asyncDispose](),
  };
}

function bufferOptions(
  flags: ApiServerFlags,
  to: "log" | "webhook",
  services: Services,
): Omit<AuditBufferOptions, "deliver"> {
  const truncates = flags[`audit-${to}-truncate-enabled`];
  const throttle = {
    qps: flags[`audit-${to}-batch-throttle-qps`],
    burst: flags[`audit-${to}-batch-throttle-burst`],
  };
  return {
    bufferSize: flags[`audit-${to}-batch-buffer-size`],
    maxBatchSize: flags[`audit-${to}-batch-max-size`],
    maxWaitMs: flags[`audit-${to}-batch-max-wait`],
    ...(truncates ? { maxBatchBytes: flags[`audit-${to}-truncate-max-batch-size`] } : {}),
    ...(flags[`audit-${to}-batch-throttle-enable`] ? { throttle } : {}),
    log,
    ...services,
  };
}

function truncated(
  flags: ApiServerFlags,
  to: "log" | "webhook",
  sink: AuditSink,
  { metrics }: Services,
): AuditSink {
  if (!flags[`audit-${to}-truncate-enabled`]) return sink;
  const maxEventBytes = flags[`audit-${to}-truncate-max-event-size`];
  return truncateEvents(sink, { maxEventBytes, log, metrics });
}
