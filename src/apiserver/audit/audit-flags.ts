import { FlagError } from "#/std/flags/flags.ts";
import type { ApiServerFlags } from "../flags/index.ts";

const modes = ["batch", "blocking", "blocking-strict"];
const formats = ["legacy", "json"];
const version = "audit.k8s.io/v1";

/**
 * Throws an error for invalid flags of an audit log or webhook in use.
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/options/audit.go.
 */
export function checkAuditFlags(flags: ApiServerFlags): void {
  if (flags["audit-log-path"] !== "") {
    checkSink(flags, "log");
    checkLog(flags);
  }
  if (flags["audit-webhook-config-file"] !== "") checkSink(flags, "webhook");
}

function checkLog(flags: ApiServerFlags): void {
  const format = flags["audit-log-format"];
  if (!formats.includes(format)) {
    refuse(`audit log format ${format}, allowed formats are "${formats.join(",")}"`);
  }
  for (const name of ["maxage", "maxbackup", "maxsize"] as const) {
    const value = flags[`audit-log-${name}`];
    if (value < 0) throw new FlagError(`--audit-log-${name} ${value} can't be a negative number`);
  }
}

function checkSink(flags: ApiServerFlags, to: "log" | "webhook"): void {
  const mode = flags[`audit-${to}-mode`];
  if (!modes.includes(mode)) {
    refuse(`audit ${to} mode ${mode}, allowed modes are "${modes.join(",")}"`);
  }
  if (mode === "batch") checkBatches(flags, to);
  if (flags[`audit-${to}-truncate-enabled`]) checkTruncation(flags, to);
  if (flags[`audit-${to}-version`] !== version) {
    refuse(`group version, allowed versions are ["${version}"]`);
  }
}

function checkBatches(flags: ApiServerFlags, to: "log" | "webhook"): void {
  const positive = (what: string, value: number): void => {
    if (value <= 0) refuse(`audit batch ${to} ${what} ${value}, must be a positive number`);
  };
  positive("buffer size", flags[`audit-${to}-batch-buffer-size`]);
  positive("max batch size", flags[`audit-${to}-batch-max-size`]);
  if (!flags[`audit-${to}-batch-throttle-enable`]) return;
  positive("throttle QPS", flags[`audit-${to}-batch-throttle-qps`]);
  positive("throttle burst", flags[`audit-${to}-batch-throttle-burst`]);
}

function checkTruncation(flags: ApiServerFlags, to: "log" | "webhook"): void {
  const eventSize = flags[`audit-${to}-truncate-max-event-size`];
  const batchSize = flags[`audit-${to}-truncate-max-batch-size`];
  if (eventSize <= 0) {
    refuse(`audit truncate ${to} max event size ${eventSize}, must be a positive number`);
  }
  if (batchSize < eventSize) {
    refuse(
      `audit truncate ${to} max batch size ${batchSize}, must be greater than max event size (${eventSize})`,
    );
  }
}

function refuse(what: string): never {
  throw new FlagError(`invalid ${what}`);
}
