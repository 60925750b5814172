/** Shared code of `kubectl label` and `kubectl annotate`: both change key-value pairs in the metadata of objects. */
import { createMergePatch } from "#/machinery/patch/create-merge-patch.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { CommandError } from "../base/errors.ts";
import type { Changes } from "../base/pairs.ts";
import { kindOf, type Unstructured } from "../base/unstructured.ts";
import type { Context } from "../command/context.ts";
import {
  allNamespacesFlag,
  dryRunFlag,
  fieldManagerFlag,
  fieldSelectorFlag,
  filenameFlags,
  recordFlag,
  selectorFlag,
} from "../command/shared-flags.ts";
import { type DryRun, printFlags } from "../printers/print-flags.ts";
import { type BuilderOptions, ResourceBuilder } from "../resource/builder.ts";
import { fileOptions } from "../resource/resource-arguments.ts";
import type { ResourceInfo } from "../resource/resource-info.ts";

/** The flags of a command that changes labels, or annotations. */
export const pairFlags = (command: string, what: string) =>
  ({
    ...printFlags,
    ...filenameFlags,
    ...dryRunFlag,
    ...fieldManagerFlag(`kubectl-${command}`),
    ...selectorFlag,
    ...fieldSelectorFlag,
    ...allNamespacesFlag(),
    ...recordFlag,
    overwrite: {
      type: "bool",
      help: `Replace the values of ${what} that exist; without it, such a change is rejected`,
    },
    list: { type: "bool", help: `Print the ${what} of the objects` },
    local: {
      type: "bool",
      help: "Change what the files contain and print it, without contacting the server",
    },
    all: { type: "bool", help: "All objects of the given types in the namespace" },
    "resource-version": {
      type: "string",
      help:
        "Make the change only if the object still has this resource version. Allowed for a " +
        "single object only",
    },
  }) satisfies FlagSet;

type PairFlags = FlagValues<ReturnType<typeof pairFlags>>;

/** A command line that changes pairs. */
interface PairRequest {
  readonly flags: PairFlags;
  readonly resources: readonly string[];
  readonly changes: Changes;
  readonly dryRun: DryRun;
}

/** Throws if flags and arguments contradict each other; `what` is "label", `file` the name in its examples. */
export function validatePairs(
  { flags, resources, changes, dryRun }: PairRequest,
  { what, file }: { readonly what: string; readonly file: string },
): void {
  const hasFiles = flags.filename.length > 0 || flags.kustomize !== "";
  const rules: (readonly [boolean, string])[] = [
    [flags.list && flags.output !== "", "--list and --output may not be specified together"],
    [flags.all && flags.selector !== "", "cannot set --all and --selector at the same time"],
    [
      flags.all && flags["field-selector"] !== "",
      "cannot set --all and --field-selector at the same time",
    ],
    [
      !flags.local && resources.length === 0 && !hasFiles,
      "one or more resources must be specified as <resource> <name> or <resource>/<name>",
    ],
    [
      flags.local && dryRun === "server",
      "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
    ],
    [
      flags.local && resources.length > 0,
      `can only use local files by -f ${file}.yaml or --filename=${file}.json when --local=true is set`,
    ],
    [
      flags.local && !hasFiles,
      `one or more files must be specified as -f ${file}.yaml or --filename=${file}.json`,
    ],
    [
      Object.keys(changes.set).length === 0 && changes.remove.length === 0 && !flags.list,
      `at least one ${what} update is required`,
    ],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new CommandError(broken[1]);
}

/** Visits the objects of a command line, and returns whether it can only be one. */
export async function visitPairs(
  { flags, resources }: PairRequest,
  context: Context,
  options: Pick<BuilderOptions, "all" | "allowEmptySelector">,
  visit: (info: ResourceInfo, isSingle: boolean) => Promise<void>,
): Promise<void> {
  const chosen = await context.cluster.namespace();
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    local: flags.local,
    flatten: true,
    continueOnError: true,
    ...(flags.local
      ? {}
      : {
          selector: flags.selector,
          fieldSelector: flags["field-selector"],
          allNamespaces: flags["all-namespaces"],
          ...options,
          args: resources,
          latest: true,
        }),
  });
  const isSingle = await builder.singleItemImplied();
  if (!isSingle && flags["resource-version"] !== "") {
    throw new CommandError("--resource-version may only be used with a single resource");
  }
  await builder.visit((info) => visit(info, isSingle));
}

/** An object with other pairs; without any pair, the field is removed. */
export function withPairs(
  object: Unstructured,
  part: "labels" | "annotations",
  pairs: Readonly<Record<string, string>>,
  { "resource-version": version }: Pick<PairFlags, "resource-version">,
): Unstructured {
  const { [part]: _, ...rest } = object.metadata ?? {};
  const metadata = {
    ...rest,
    ...(Object.keys(pairs).length === 0 ? {} : { [part]: pairs }),
    ...(version === "" ? {} : { resourceVersion: version }),
  };
  return { ...object, metadata };
}

/** Sends a patch of the difference between two states of an object. */
export async function sendPairs(
  { flags, dryRun }: PairRequest,
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
