/** Upstream: k8s.io/kubectl/pkg/cmd/label/label.go. */
import { isLabelValue } from "#/machinery/names.ts";
import { createMergePatch } from "#/machinery/patch/create-merge-patch.ts";
import type { FlagSet } from "#/std/flags.ts";
import { goQuote } from "#/std/go-quote.ts";
import { command, type Invocation } from "../command.ts";
import type { Context } from "../context.ts";
import { CommandError, throwAll } from "../errors.ts";
import {
  allNamespacesFlag,
  dryRunFlag,
  dryRunOf,
  fieldManagerFlag,
  fieldSelectorFlag,
  filenameFlags,
  recordFlag,
  selectorFlag,
} from "../flags/shared-flags.ts";
import { type Changes, splitPairs } from "../pairs.ts";
import { type DryRun, printFlags } from "../printers/print-flags.ts";
import { toPrinter } from "../printers/to-printer.ts";
import { ResourceBuilder } from "../resource/builder.ts";
import type { ResourceInfo } from "../resource/resource-info.ts";
import { kindOf, type Unstructured } from "../unstructured.ts";

const flags = {
  ...printFlags,
  ...filenameFlags,
  ...dryRunFlag,
  ...fieldManagerFlag("kubectl-label"),
  ...selectorFlag,
  ...fieldSelectorFlag,
  ...allNamespacesFlag(),
  ...recordFlag,
  overwrite: { type: "bool", help: "Change labels that have another value" },
  list: { type: "bool", help: "Show the labels" },
  local: { type: "bool", help: "Work on files, without asking the server" },
  all: { type: "bool", help: "All objects of the types that are named" },
  "resource-version": { type: "string", help: "Only if the object has this version" },
} satisfies FlagSet;

type LabelInvocation = Invocation<typeof flags>;

/** `kubectl label`. */
export const label = command({
  usage:
    "label [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
  description: "Sets, changes or removes (KEY-) labels of objects.",
  examples: [
    ["Set", "kubectl label pods web tier=front"],
    ["Change", "kubectl label --overwrite pods web tier=back"],
    ["Remove", "kubectl label pods web tier-"],
  ],
  flags,
  run,
});

async function run({ flags, args }: LabelInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  const { resources, pairs } = splitPairs(args, "label");
  const changes = parseLabels(pairs);
  if (flags.list && flags.output !== "") {
    throw new CommandError("--list and --output may not be specified together");
  }
  const { namespace, explicit } = await context.cluster.namespace();
  validate(flags, { resources, changes, dryRun });
  const builder = new ResourceBuilder(context, {
    namespace,
    enforceNamespace: explicit && flags.filename.length > 0,
    filenames: flags.filename,
    kustomize: flags.kustomize,
    recursive: flags.recursive,
    local: flags.local,
    flatten: true,
    continueOnError: true,
    ...(flags.local
      ? {}
      : {
          selector: flags.selector,
          fieldSelector: flags["field-selector"],
          allNamespaces: flags["all-namespaces"],
          allowEmptySelector: flags.all,
          args: resources,
          latest: true,
        }),
  });
  const isSingle = await builder.singleItemImplied();
  if (!isSingle && flags["resource-version"] !== "") {
    throw new CommandError("--resource-version may only be used with a single resource");
  }
  await builder.visit(async (info) => {
    const before = info.object ?? {};
    const isLocal = dryRun === "client" || flags.local || flags.list;
    if (!isLocal) warnOfMissing(before, changes, context);
    const { object, operation } = changed(before, changes, flags);
    if (!isLocal && operation !== "not labeled")
      await send({ flags, dryRun }, info, before, object, context);
    if (flags.list)
      listPairs(context, info, object.metadata?.labels ?? {}, { isSingle, what: "labels" });
    else toPrinter(flags, context, { operation, dryRun }).print(object, context.out);
  });
}

interface Checked {
  readonly resources: readonly string[];
  readonly changes: Changes;
  readonly dryRun: DryRun;
}

function validate(flags: LabelInvocation["flags"], { resources, changes, dryRun }: Checked): void {
  const hasFiles = flags.filename.length > 0 || flags.kustomize !== "";
  const rules: (readonly [boolean, string])[] = [
    [flags.all && flags.selector !== "", "cannot set --all and --selector at the same time"],
    [
      flags.all && flags["field-selector"] !== "",
      "cannot set --all and --field-selector at the same time",
    ],
    [
      flags.local && dryRun === "server",
      "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
    ],
    [
      flags.local && resources.length > 0,
      "can only use local files by -f pod.yaml or --filename=pod.json when --local=true is set",
    ],
    [
      flags.local && !hasFiles,
      "one or more files must be specified as -f pod.yaml or --filename=pod.json",
    ],
    [
      !flags.local && resources.length === 0 && !hasFiles,
      "one or more resources must be specified as <resource> <name> or <resource>/<name>",
    ],
    [
      Object.keys(changes.set).length === 0 && changes.remove.length === 0 && !flags.list,
      "at least one label update is required",
    ],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new CommandError(broken[1]);
}

function parseLabels(pairs: readonly string[]): Changes {
  const set: Record<string, string> = {};
  const remove: string[] = [];
  for (const pair of pairs) {
    if (!pair.includes("=")) {
      remove.push(pair.slice(0, -1));
      continue;
    }
    const [key = "", value = "", ...rest] = pair.split("=");
    if (rest.length > 0) throw new CommandError(`invalid label spec: ${pair}`);
    const problems = isLabelValue(value);
    if (problems.length > 0) {
      throw new CommandError(`invalid label value: ${goQuote(pair)}: ${problems.join(";")}`);
    }
    set[key] = value;
  }
  if (remove.some((key) => Object.hasOwn(set, key))) {
    throw new CommandError("can not both modify and remove a label in the same command");
  }
  return { set, remove };
}

function warnOfMissing({ metadata }: Unstructured, { remove }: Changes, context: Context): void {
  for (const key of remove) {
    if (metadata?.labels?.[key] === undefined)
      context.out.write(`label ${goQuote(key)} not found.\n`);
  }
}

/** An object with its labels changed, and what that is called. */
function changed(
  object: Unstructured,
  { set, remove }: Changes,
  flags: LabelInvocation["flags"],
): { object: Unstructured; operation: string } {
  const before = object.metadata?.labels ?? {};
  if (!flags.overwrite) {
    const taken = Object.entries(set).filter(
      ([key, value]) => key in before && before[key] !== value,
    );
    throwAll(
      taken.map(
        ([key]) =>
          new CommandError(
            `'${key}' already has a value (${before[key]}), and --overwrite is false`,
          ),
      ),
    );
  }
  const added = Object.entries(set).filter(([key, value]) => before[key] !== value);
  const removed = remove.filter((key) => key in before);
  const kept = Object.entries(before).filter(([key]) => !removed.includes(key));
  const labels = { ...Object.fromEntries(kept), ...Object.fromEntries(added) };
  const version = flags["resource-version"];
  const metadata = {
    ...object.metadata,
    labels,
    ...(version === "" ? {} : { resourceVersion: version }),
  };
  if (Object.keys(labels).length === 0) delete (metadata as { labels?: unknown }).labels;
  const operation =
    added.length > 0 && removed.length > 0
      ? "modified"
      : added.length > 0
        ? "labeled"
        : removed.length > 0
          ? "unlabeled"
          : "not labeled";
  return { object: { ...object, metadata }, operation };
}

interface Sending {
  readonly flags: { readonly "field-manager": string; readonly "resource-version": string };
  readonly dryRun: DryRun;
}

/** Patches what has changed between two forms of an object. */
export async function send(
  { flags, dryRun }: Sending,
  info: ResourceInfo,
  before: Unstructured,
  after: Unstructured,
  context: Context,
): Promise<Unstructured> {
  const client = await context.cluster.client();
  const { resourceVersion, ...metadata } = before.metadata ?? {};
  const old = flags["resource-version"] === "" ? before : { ...before, metadata };
  return client.patch(info.mapping, info.ref(), createMergePatch(old, after), {
    type: "merge",
    dryRun: dryRun === "server",
    fieldManager: flags["field-manager"],
  });
}

/** Prints `key=value` lines, under a title if there are several objects. */
export function listPairs(
  context: Context,
  info: ResourceInfo,
  pairs: Readonly<Record<string, string>>,
  { isSingle, what }: { readonly isSingle: boolean; readonly what: string },
): void {
  const { kind, group } = kindOf(info.object ?? {});
  if (!isSingle) context.out.write(`Listing ${what} for ${kind}.${group}/${info.name}:\n`);
  for (const [key, value] of Object.entries(pairs)) {
    context.out.write(`${isSingle ? "" : " "}${key}=${value}\n`);
  }
}
