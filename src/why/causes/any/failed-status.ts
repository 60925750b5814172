import type { AnyObject } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";

/** Words with which controllers say in a phase or a state that something is wrong. */
const bad = /fail|error|degraded|unhealthy|invalid|denied|stalled|crash|lost|unavailable|rejected/i;

/** What many kinds have in their status beside conditions. */
interface UsualStatus {
  readonly phase?: unknown;
  readonly state?: unknown;
  readonly health?: { readonly status?: unknown; readonly message?: unknown } | unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly error?: { readonly message?: unknown } | unknown;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const fieldOf = (value: unknown, name: string): string =>
  textOf((value as Readonly<Record<string, unknown>> | null | undefined)?.[name]);

/** A status of any kind that names a failure in its phase, or has the message of an error. */
export const failedStatus = cause<AnyObject & { readonly status?: UsualStatus }>({
  name: "failed-status",
  layer: "controllers",
  isFallback: true,
  find({ metadata, status }, _view, { group }) {
    // The kinds of Kubernetes itself have causes of their own.
    if (!status || metadata.deletionTimestamp || !group.includes(".")) return undefined;
    const phase = [textOf(status.phase), textOf(status.state), fieldOf(status.health, "status")];
    const named = phase.find((text) => bad.test(text));
    const error = textOf(status.error) || fieldOf(status.error, "message");
    if (named === undefined && error === "") return undefined;
    const said = [error, textOf(status.message), fieldOf(status.health, "message")].find(Boolean);
    const reason = textOf(status.reason);
    return {
      sentence: `its status is ${named ?? "an error"}${reason ? ` (${reason})` : ""}${said ? `: ${oneLine(said, 200)}` : ""}`,
    };
  },
});
