import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Family, observeGates } from "./gate-metrics.ts";
import { startOwn, type Target } from "./reference.ts";

const file = join(import.meta.dirname, "recorded", "gate-metrics.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as Record<string, Family>;

/** Metrics that the real server has and ours doesn't. */
const absent = new Set([
  // A second form of the same figures.
  "apiserver_admission_step_admission_duration_seconds_summary",
  // Internals of the real server's fair queuing; ours is another.
  ...["current_r", "dispatch_r", "latest_s", "next_discounted_s_bounds", "next_s_bounds"].map(flow),
  ...["demand_seats", "demand_seats_average", "demand_seats_high_watermark"].map(flow),
  ...["demand_seats_smoothed", "demand_seats_stdev", "seat_fair_frac", "target_seats"].map(flow),
  ...["priority_level_request_utilization", "priority_level_seat_utilization"].map(flow),
  ...["read_vs_write_current_requests", "watch_count_samples"].map(flow),
  // Metrics of KMS v1, which is not served.
  "apiserver_envelope_encryption_dek_cache_fill_percent",
  "apiserver_storage_data_key_generation_duration_seconds",
  "apiserver_storage_data_key_generation_failures_total",
  "apiserver_storage_envelope_transformation_cache_misses_total",
  // Metrics of a cache of tokens: our server checks each token every time.
  "authentication_token_cache_active_fetch_count",
  "authentication_token_cache_fetch_total",
  "authentication_token_cache_request_duration_seconds",
  "authentication_token_cache_request_total",
]);

function flow(name: string): string {
  return `apiserver_flowcontrol_${name}`;
}

describe("metrics of the gates equal kube-apiserver's", () => {
  let target: Target;
  let own: Readonly<Record<string, Family>>;
  before(async () => {
    target = await startOwn([]);
    own = await observeGates(target, () => Promise.resolve());
  });
  after(() => target[Symbol.asyncDispose]());

  for (const [name, family] of Object.entries(recorded)) {
    test(`${name} ${absent.has(name) ? "is absent" : "is the same"}`, () => {
      assert.deepEqual(own[name], absent.has(name) ? undefined : family);
    });
  }
});
