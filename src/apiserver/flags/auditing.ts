import type { FlagSet } from "#/std/flags/flags.ts";

/** Upstream's section "Auditing flags". */
export const auditingFlags = {
  "audit-log-batch-buffer-size": {
    type: "int",
    default: 10000,
    help: "Events that may wait for the audit log.",
  },
  "audit-log-batch-max-size": {
    type: "int",
    default: 1,
    help: "Events that are given to the audit log at a time.",
  },
  "audit-log-batch-max-wait": {
    type: "duration",
    help: "How long an event may wait for others before the audit log gets it.",
  },
  "audit-log-batch-throttle-burst": {
    type: "int",
    help: "Batches that the audit log may get at once.",
  },
  "audit-log-batch-throttle-enable": {
    type: "bool",
    help: "Whether the audit log is spared a flood of batches.",
  },
  "audit-log-batch-throttle-qps": {
    type: "float32",
    help: "Batches per second for the audit log.",
  },
  "audit-log-compress": { type: "bool", help: "Compress old files of the audit log." },
  "audit-log-format": {
    type: "string",
    default: "json",
    help: "How events are written: json, or legacy for a line of text.",
  },
  "audit-log-maxage": {
    type: "int",
    default: 366,
    help: "Days after which an old file of the audit log is removed; 0 for never.",
  },
  "audit-log-maxbackup": {
    type: "int",
    default: 100,
    help: "Old files of the audit log to keep; 0 for all.",
  },
  "audit-log-maxsize": {
    type: "int",
    default: 100,
    help: "Megabytes after which a new file of the audit log is begun.",
  },
  "audit-log-mode": {
    type: "string",
    default: "blocking",
    help: "batch lets requests go on before the audit log has their events; blocking and blocking-strict don't.",
  },
  "audit-log-path": { type: "string", help: "The file of the audit log; - for standard output." },
  "audit-log-truncate-enabled": {
    type: "bool",
    help: "Shorten events that are too large for the audit log.",
  },
  "audit-log-truncate-max-batch-size": {
    type: "int",
    default: 10485760,
    help: "The largest batch for the audit log, in bytes.",
  },
  "audit-log-truncate-max-event-size": {
    type: "int",
    default: 102400,
    help: "The largest event for the audit log, in bytes.",
  },
  "audit-log-version": {
    type: "string",
    default: "audit.k8s.io/v1",
    help: "The version of events for the audit log.",
  },
  "audit-policy-file": {
    type: "string",
    help: "The file that says what is recorded of which requests.",
  },
  "audit-webhook-batch-buffer-size": {
    type: "int",
    default: 10000,
    help: "Events that may wait for the audit webhook.",
  },
  "audit-webhook-batch-initial-backoff": {
    type: "duration",
    default: 10000,
    help: "The former name of --audit-webhook-initial-backoff.",
    deprecated: "Deprecated, use --audit-webhook-initial-backoff instead.",
  },
  "audit-webhook-batch-max-size": {
    type: "int",
    default: 400,
    help: "Events that are given to the audit webhook at a time.",
  },
  "audit-webhook-batch-max-wait": {
    type: "duration",
    default: 30000,
    help: "How long an event may wait for others before the audit webhook gets it.",
  },
  "audit-webhook-batch-throttle-burst": {
    type: "int",
    default: 15,
    help: "Batches that the audit webhook may get at once.",
  },
  "audit-webhook-batch-throttle-enable": {
    type: "bool",
    default: true,
    help: "Whether the audit webhook is spared a flood of batches.",
  },
  "audit-webhook-batch-throttle-qps": {
    type: "float32",
    default: 10,
    help: "Batches per second for the audit webhook.",
  },
  "audit-webhook-config-file": {
    type: "string",
    help: "A kubeconfig of the webhook that gets events.",
  },
  "audit-webhook-initial-backoff": {
    type: "duration",
    default: 10000,
    help: "How long to wait before a failed batch is sent again.",
  },
  "audit-webhook-mode": {
    type: "string",
    default: "batch",
    help: "batch lets requests go on before the audit webhook has their events; blocking and blocking-strict don't.",
  },
  "audit-webhook-truncate-enabled": {
    type: "bool",
    help: "Shorten events that are too large for the audit webhook.",
  },
  "audit-webhook-truncate-max-batch-size": {
    type: "int",
    default: 10485760,
    help: "The largest batch for the audit webhook, in bytes.",
  },
  "audit-webhook-truncate-max-event-size": {
    type: "int",
    default: 102400,
    help: "The largest event for the audit webhook, in bytes.",
  },
  "audit-webhook-version": {
    type: "string",
    default: "audit.k8s.io/v1",
    help: "The version of events for the audit webhook.",
  },
} satisfies FlagSet;
