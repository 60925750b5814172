/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/set/set_selector.go. */

import { parseSelector } from "#/machinery/meta/label-parser.ts";
import { toLabelSelector } from "#/machinery/meta/label-selector.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError, messageOf } from "../../base/errors.ts";
import { kindOf, setFieldAt, type Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { recordChange, recordPatch } from "../../command/record-change.ts";
import { dryRunOf } from "../../command/shared-flags.ts";
import type { DryRun } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { setFlags, typedObject } from "./set-objects.ts";

const { kustomize, ...sharedFlags } = setFlags;

const flags = {
  ...sharedFlags,
  recursive: { ...setFlags.recursive, default: true },
  "resource-version": {
    type: "string",
    help:
      "Make the change only if the object still has this resource version. Allowed for a " +
      "single object only",
  },
} satisfies FlagSet;

type SelectorInvocation = Invocation<typeof flags>;

/** `kubectl set selector`. */
export const setSelector = command({
  usage: "selector (-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]",
  flags,
  run,
});

async function run({ flags, args }: SelectorInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  const resources = args.slice(0, -1);
  const selector = args.length === 0 ? undefined : parsedSelector(args.at(-1) ?? "");
  const printer = toPrinter(flags, context, {
    operation: "selector updated",
    dryRun,
    keepsOrder: true,
  });
  if (selector === undefined) throw new CommandError("one selector is required");
  const chosen = await context.cluster.namespace();
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    local: flags.local,
    args: resources,
    all: flags.all,
    flatten: true,
    ...(flags.local ? {} : { latest: true }),
  });
  await builder.visit(async (info) => {
    const object = typedObject(info);
    const { kind, group } = kindOf(object);
    if (kind !== "Service" || group !== "") {
      throw new CommandError("setting a selector is only supported for Services");
    }
    if (selector.matchExpressions.length > 0) {
      const shown = selector.matchExpressions.map(
        ({ key, operator, values = [] }) => `{${key} ${operator} [${values.join(" ")}]}`,
      );
      throw new CommandError(`match expression [${shown.join(" ")}] not supported on this object`);
    }
    const isLocal = flags.local || dryRun === "client";
    setFieldAt(object, ["spec", "selector"], selector.matchLabels);
    const shown = isLocal
      ? recordChange(object, flags, context)
      : await send({ flags, dryRun }, info, selector.matchLabels, context);
    printer.print(shown, context.out);
  });
}

async function send(
  { flags, dryRun }: { readonly flags: SelectorInvocation["flags"]; readonly dryRun: DryRun },
  info: ResourceInfo,
  labels: Readonly<Record<string, string>>,
  context: Context,
): Promise<Unstructured> {
  const client = await context.cluster.client();
  const version = flags["resource-version"];
  const before =
    ((info.object?.["spec"] ?? {}) as { selector?: Record<string, string> }).selector ?? {};
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(labels, key));
  const recorded = recordPatch(info.object ?? {}, flags, context) as Unstructured | undefined;
  const metadata = {
    ...recorded?.metadata,
    ...(version === "" ? {} : { resourceVersion: version }),
  };
  const patch = {
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    spec: { selector: { ...Object.fromEntries(removed.map((key) => [key, null])), ...labels } },
  };
  return client.patch(info.mapping, info.ref(), patch, {
    type: "strategic",
    dryRun: dryRun === "server",
    fieldManager: flags["field-manager"],
  });
}

function parsedSelector(text: string): ReturnType<typeof toLabelSelector> {
  try {
    return toLabelSelector(parseSelector(text));
  } catch (error) {
    throw new CommandError(
      `couldn't parse the selector string ${JSON.stringify(text)}: ${messageOf(error)}`,
    );
  }
}
