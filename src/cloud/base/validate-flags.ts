/** Upstream: staging/src/k8s.io/cloud-provider/options (each Validate), staging/src/k8s.io/controller-manager/options/generic.go. */
import { headerErrors, portErrors } from "#/component/validate-server-flags.ts";
import { FlagError } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { CloudFlags } from "./flags.ts";

/** Throws FlagError for flags that upstream refuses, with all errors. */
export function validateFlags(flags: CloudFlags, isController: (name: string) => boolean): void {
  const errors = [...new Set(flagErrors(flags, isController))];
  if (errors.length === 0) return;
  throw new FlagError(errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`);
}

function flagErrors(flags: CloudFlags, isController: (name: string) => boolean): string[] {
  const lock = flags["leader-elect-resource-lock"];
  const syncs = flags["concurrent-node-lifecycle-syncs"];
  const unknown = (given: readonly string[], known: (name: string) => boolean, what: string) =>
    given
      .filter((item) => item !== "*")
      .map((item) => item.replace(/^-/, ""))
      .filter((name) => !known(name))
      .map((name) => `${goQuote(name)} is not in the list of known ${what}`);
  return [
    ...(flags["leader-elect"] && lock !== "leases" ? ['resourceLock value must be "leases"'] : []),
    ...unknown(flags.controllers, isController, "controllers"),
    ...(syncs < 1 ? [`concurrent-node-lifecycle-syncs must be at least 1, but got ${syncs}`] : []),
    ...portErrors(flags["secure-port"], { required: false }),
    ...headerErrors(flags),
    ...unknown([...flags.webhooks].sort(), () => false, "webhooks"),
    ...webhookPortErrors(flags),
    ...(flags["cloud-provider"] === "" ? ["--cloud-provider cannot be empty"] : []),
  ];
}

function webhookPortErrors(flags: CloudFlags): string[] {
  const port = flags["webhook-secure-port"];
  if (port < 0 || port > 65_535) {
    return [
      `--webhook-secure-port ${port} must be between 0 and 65535, inclusive. A value of 0 disables the webhook endpoint entirely.`,
    ];
  }
  if (port !== flags["secure-port"] || port === 0) return [];
  return ["--webhook-secure-port cannot be the same value as --secure-port"];
}
