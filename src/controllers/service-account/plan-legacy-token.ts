/** Upstream: pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go. */
import type { Secret } from "#/api/core/v1.ts";
import { parseTime } from "#/machinery/time/time.ts";

const lastUsedLabel = "kubernetes.io/legacy-token-last-used";
const invalidSinceLabel = "kubernetes.io/legacy-token-invalid-since";

/** The action for a Secret, by its own fields. */
type LegacyTokenPlan =
  | { readonly do: "keep" }
  | { readonly do: "remove" }
  /** It is invalid from this day on. */
  | { readonly do: "mark"; readonly date: string };

interface LegacyTokenOptions {
  readonly nowMs: number;
  /** How long a token must have been unused, and then invalid. */
  readonly periodMs: number;
}

/** Decides about a token by its age, its last use, and since when it is invalid. */
export function planLegacyToken(
  { metadata, type }: Secret,
  { nowMs, periodMs }: LegacyTokenOptions,
): LegacyTokenPlan {
  const { labels = {}, creationTimestamp, deletionTimestamp } = metadata;
  if (type !== "kubernetes.io/service-account-token" || deletionTimestamp) return { do: "keep" };
  if (!creationTimestamp || parseTime(creationTimestamp) >= nowMs - periodMs) return { do: "keep" };
  const oldest = dateOf(nowMs - periodMs);
  const lastUsed = labels[lastUsedLabel];
  // An invalid date means unknown; dates compare as texts.
  if (lastUsed !== undefined && (!isDate(lastUsed) || lastUsed >= oldest)) return { do: "keep" };
  const invalidSince = labels[invalidSinceLabel] ?? "";
  if (!isDate(invalidSince)) return { do: "mark", date: dateOf(nowMs) };
  return { do: invalidSince >= oldest ? "keep" : "remove" };
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
